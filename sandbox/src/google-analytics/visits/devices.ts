import type { Weighted } from './weights.js';

/** A visitor's device. */
export interface Device {
  category: string;
  operatingSystem: string;
  browser: string;
}

function device(weight: number, category: string, operatingSystem: string, browser: string): Weighted<Device> {
  return { weight, value: { category, operatingSystem, browser } };
}

/** Visitor devices, including some TVs. */
export const devices: readonly Weighted<Device>[] = [
  device(30, 'desktop', 'Windows', 'Chrome'),
  device(9, 'desktop', 'Windows', 'Edge'),
  device(4, 'desktop', 'Windows', 'Firefox'),
  device(12, 'desktop', 'Macintosh', 'Safari'),
  device(9, 'desktop', 'Macintosh', 'Chrome'),
  device(3, 'desktop', 'Linux', 'Firefox'),
  device(2, 'desktop', 'Chrome OS', 'Chrome'),
  device(13, 'mobile', 'iOS', 'Safari'),
  device(2, 'mobile', 'iOS', 'Safari (in-app)'),
  device(10, 'mobile', 'Android', 'Chrome'),
  device(3, 'mobile', 'Android', 'Samsung Internet'),
  device(1.5, 'mobile', 'Android', 'Android Webview'),
  device(2, 'tablet', 'iOS', 'Safari'),
  device(1, 'tablet', 'Android', 'Chrome'),
  device(0.3, 'smart tv', 'Tizen', 'Samsung Internet'),
  device(0.3, 'smart tv', '(not set)', '(not set)'),
];
