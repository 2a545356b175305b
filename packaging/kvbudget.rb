# Homebrew's formula.
class Kvbudget < Formula
  desc "GPU memory budget of an LLM server, before a GPU is touched"
  homepage "SOURCE"
  url "SOURCE/kvbudget-0.2.0.tar.xz"
  version "0.2.0"
  sha256 "SHA256"
  license "MIT"

  depends_on "cmake" => :build
  depends_on "pkg-config" => :build
  depends_on "curl"
  depends_on "libcyaml"
  depends_on "libyaml"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", "-DKVB_HARDEN=ON", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "fits", shell_output("#{bin}/kvbudget plan --model Qwen/Qwen3-0.6B --gpu l4 --json")
  end
end
