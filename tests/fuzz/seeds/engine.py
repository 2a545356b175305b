import sglang as sgl
llm = sgl.Engine(model_path="a/b", tp_size=2, cuda_graph_bs=[1, 2], disable_radix_cache=True, api_key=None)
