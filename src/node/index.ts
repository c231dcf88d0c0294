export { type Download, type Saved, type SaveOptions, safeName, save } from './save.js';
