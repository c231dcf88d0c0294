/** What agent-connectors-service uses of ONNX Runtime; it finds the model in the folder `model` beside this file. */
import onnxruntime from 'onnxruntime-node';

export const { InferenceSession, Tensor } = onnxruntime;
