/** Refuses to pack the package if the model built by `make_model.py` is missing. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

const checksum = '2fcfbcfd05e66414ed8d7524066b9de42f895723024c9190a024327673fcc7f0';
const model = readFileSync(new URL('../model/model.onnx', import.meta.url));
if (createHash('sha256').update(model).digest('hex') !== checksum)
  throw new Error('model/model.onnx is not the model of this release.');
