import { spawn } from 'node:child_process';
import type { CliEnvironment } from './environment.js';

/** Programs that open a URL, by platform. */
const openers: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an http or https URL in the user's browser, without a shell; false if no browser is available. */
export function browse(address: string, { env, platform }: Pick<CliEnvironment, 'env' | 'platform'>): boolean {
  if (!URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return false;
  const screen = platform in openers || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY);
  if (!screen) return false;
  const [program = 'xdg-open', ...before] = openers[platform] ?? [];
  try {
    const child = spawn(program, [...before, new URL(address).href], { stdio: 'ignore', detached: true });
    child.on('error', () => {});
    child.unref();
    return true;
  } catch {
    return false;
  }
}
