export * from '../../../src/authoring.js';
