import { connector, type Manifest } from 'agent-connectors';
import { LarderConnector } from './larder/index.js';

/** A type whose name differs from that of a built-in one only in case. */
export class Impostor extends connector({ ...(LarderConnector.manifest as Manifest), name: 'Linear', aliases: [] }) {}
