import type { ToolFile } from 'agent-connectors/tools';
import { describe, expect, test } from 'vitest';
import { connectorsOn, insideOf, outsideOf, toolsOf } from './setup.js';
import { shelf } from './shelf.js';

const bytes = Uint8Array.from({ length: 50_000 }, (_, at) => at % 251);
const download = { entity: 'things', action: 'download', params: { id: '1' } };

/** A vendor whose download has this type, and the bytes read from it. */
function vendorOf(content_type: string | null, content = bytes) {
  let cancelled = 0;
  const { connector, sent } = shelf(({ params }) => ({
    data: new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(content);
        controller.close();
      },
      cancel: () => void cancelled++,
    }),
    meta: {
      content_type,
      content_length: content.length,
      content_range: null,
      file_name: 'a\u202e>>>.pdf',
      notice: params.range_header === undefined ? null : 'This is the whole content.',
    },
  }));
  return { connector, sent, cancelled: () => cancelled };
}

/** A host that stores files. */
function host() {
  const files: Array<ToolFile & { content: Uint8Array }> = [];
  const onFile = async (file: ToolFile) => {
    files.push({ ...file, content: await new Response(file.stream).bytes() });
    return { handle: `file-${files.length}` };
  };
  return { files, onFile };
}

describe('binary content', () => {
  test.each([
    ['application/pdf', bytes],
    ['application/octet-stream', bytes],
    [null, bytes],
  ])('of type %s is reported but not shown', async (type, content) => {
    const { connector } = vendorOf(type, content);
    const { text, data, isError } = await toolsOf(connector).execute.run(download);
    expect(isError).toBe(false);
    const file = { handle: null, name: 'a\u202e>>>.pdf', content_type: type, size: 50_000 };
    expect(data).toMatchObject({ data: file });
    expect(JSON.parse(insideOf(text).inside)).toMatchObject({ name: file.name, size: 50_000 });
    expect(outsideOf(text)).toContain('the onFile option');
    expect(text.length).toBeLessThan(800);
  });

  test('is passed in full to the host, which reports where it is stored', async () => {
    for (const type of ['application/pdf', null]) {
      const { connector, sent } = vendorOf(type);
      const { files, onFile } = host();
      const { text, data } = await toolsOf(connector, { onFile }).execute.run(download);
      expect(files).toMatchObject([{ name: 'a\u202e>>>.pdf', contentType: type, size: 50_000 }]);
      expect(files[0]!.content).toEqual(bytes);
      expect(sent).toEqual([{ action: 'download', params: { id: '1' } }]);
      expect(data).toMatchObject({ data: { handle: 'file-1', size: 50_000 } });
      expect(JSON.parse(insideOf(text).inside)).toMatchObject({ handle: 'file-1' });
    }
  });

  test('can have a plain-text handle; a host failure is reported as an error without revealing details', async () => {
    const { connector } = vendorOf('image/png');
    const named = toolsOf(connector, { onFile: async () => '/tmp/a.png' }).execute;
    expect((await named.run(download)).text).toContain('"/tmp/a.png"');
    const failing = toolsOf(connector, {
      onFile: async () => {
        throw new Error('secret-4711');
      },
    });
    const { text, isError } = await failing.execute.run(download);
    expect(isError).toBe(true);
    expect(text).not.toContain('4711');
  });

  test('is cancelled if the host fails before reading it', async () => {
    let cancelled = false;
    const { connector } = shelf(() => ({
      data: new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(bytes),
        cancel: () => {
          cancelled = true;
        },
      }),
      meta: { content_type: 'image/png', content_length: null, content_range: null, file_name: null, notice: null },
    }));
    const onFile = async () => {
      throw new Error('full');
    };
    await toolsOf(connector, { onFile }).execute.run(download);
    expect(cancelled).toBe(true);
  });
});

test('text is shown even if the host stores files, and its stream is cancelled', async () => {
  const vendor = vendorOf('text/plain', new TextEncoder().encode('Hello\nworld'));
  const { files, onFile } = host();
  const { text } = await toolsOf(vendor.connector, { onFile }).execute.run(download);
  expect(insideOf(text).inside).toMatch(/^meta .+\nHello\nworld$/);
  expect(files).toEqual([]);
});

test('a Google Drive file reaches the host unchanged', async () => {
  const { drive } = connectorsOn();
  const { files, onFile } = host();
  const q = "name = 'Brand guide.pdf' and trashed=false";
  const { id } = (await drive.files.list({ corpora: 'allDrives', q, pageSize: 1 })).data[0]!;
  const direct = await new Response((await drive.files.download({ fileId: id })).data).bytes();
  const call = { entity: 'files', action: 'download', params: { fileId: id } };
  const { text } = await toolsOf(drive, { onFile }).execute.run(call);
  expect(files[0]!.content).toEqual(direct);
  expect(insideOf(text).inside).toContain('"content_type":"application/pdf"');
});
