/**
 * The parts of ONNX Runtime that agent-connectors-service uses; it finds the model in the `model` folder next to this
 * file.
 */
import onnxruntime from 'onnxruntime-node';

export const { InferenceSession, Tensor } = onnxruntime;
