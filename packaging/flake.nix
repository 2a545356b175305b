{
  description = "GPU memory budget of an LLM server, before a GPU is touched";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" ];
      each = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: {
        default = pkgs.stdenv.mkDerivation {
          pname = "kvbudget";
          version = "0.2.0";
          src = ../.;
          nativeBuildInputs = [ pkgs.cmake pkgs.pkg-config ];
          buildInputs = [ pkgs.libyaml pkgs.libcyaml pkgs.curl ];
          cmakeFlags = [ "-DBUILD_TESTING=OFF" "-DKVB_HARDEN=ON" ];
          doInstallCheck = true;
          installCheckPhase = "$out/bin/kvbudget plan --model Qwen/Qwen3-0.6B --gpu l4";
          meta = { license = pkgs.lib.licenses.mit; mainProgram = "kvbudget"; };
        };
      });
    };
}
