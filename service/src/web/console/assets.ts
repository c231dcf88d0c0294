import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { builtFile } from '../../common/built-file.js';

/** The console's built files. */
export interface Assets {
  /** A file by its path under /console, if it exists. */
  file(path: string, headers: Headers): Response | undefined;
  /** The page for all console URLs. */
  page(headers: Headers): Response;
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  readonly brotli: Buffer;
}

// The sources are three levels below the folder that contains the build.
const builtFolder = fileURLToPath(
  builtFile(new URL('./console/', import.meta.url)) ?? new URL('../../../dist/console/', import.meta.url),
);

/** Loads the files on first use and keeps them in memory. */
export function openAssets(folder = builtFolder): Assets {
  let loaded: ReadonlyMap<string, Asset> | undefined;
  const files = () => {
    loaded ??= new Map(read(folder));
    return loaded;
  };
  return {
    file(path, headers) {
      const asset = path === 'index.html' ? undefined : files().get(path);
      // File names contain a content hash, so they never change.
      return asset && assetResponse(asset, headers, 'public, max-age=31536000, immutable');
    },
    page(headers) {
      const page = files().get('index.html');
      if (page) return assetResponse(page, headers, 'no-store');
      return new Response('The console has not been built. Run npm run build.\n', {
        status: 404,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      });
    },
  };
}

function* read(folder: string, prefix = ''): Generator<readonly [string, Asset]> {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* read(path, `${prefix}${entry.name}/`);
    const type = types[extname(entry.name)];
    if (entry.isDirectory() || type === undefined) continue;
    const plain = readFileSync(path);
    yield [`${prefix}${entry.name}`, { type, plain, gzip: gzipSync(plain), brotli: brotliCompressSync(plain) }];
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

function assetResponse({ type, plain, gzip, brotli }: Asset, headers: Headers, caching: string): Response {
  const accepted = (headers.get('accept-encoding') ?? '').split(',').map((item) => item.split(';')[0]!.trim());
  const [encoding, bytes] = accepted.includes('br')
    ? (['br', brotli] as const)
    : accepted.includes('gzip')
      ? (['gzip', gzip] as const)
      : ([undefined, plain] as const);
  return new Response(new Uint8Array(bytes), {
    headers: {
      'content-type': type,
      'content-length': String(bytes.byteLength),
      'cache-control': caching,
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    },
  });
}
