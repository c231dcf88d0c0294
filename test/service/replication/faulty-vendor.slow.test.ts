import { test } from 'vitest';
import { caseCount } from '../../cases.js';
import { survivesFaults } from './faulty-vendor.js';

test(
  'whatever a vendor responds, searches say what is missing, and after its recovery nothing is',
  () => survivesFaults(Number(process.env.FAULT_CASES) || caseCount(40)),
  1_800_000,
);
