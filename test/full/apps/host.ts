import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

/** What a host shows: a page, and the call that it is for. */
export interface Shown {
  readonly html: string;
  readonly input: Record<string, unknown>;
  readonly result: any;
  readonly theme: 'light' | 'dark';
}

/** Links that the page opened, and its tool calls, which a host would forward. */
export interface Heard {
  readonly links: string[];
  readonly calls: unknown[];
}

const bridges: AppBridge[] = [];

/** A client's page: shows an app in a sandboxed frame, as the reference host does. */
async function show({ html, input, result, theme }: Shown): Promise<Heard> {
  const heard: Heard = { links: [], calls: [] };
  document.body.replaceChildren();
  const frame = document.createElement('iframe');
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.style.cssText = 'width: 600px; height: 100px; border: 0';
  document.body.append(frame);
  const bridge = new AppBridge(
    null,
    { name: 'host', version: '1.0.0' },
    { openLinks: {}, serverTools: {} },
    { hostContext: { theme, locale: 'en-US' } },
  );
  bridge.onopenlink = async ({ url }) => {
    heard.links.push(url);
    return {};
  };
  bridge.oncalltool = async (call) => {
    heard.calls.push(call);
    return { content: [] };
  };
  bridge.addEventListener('sizechange', ({ height }) => {
    if (height) frame.style.height = `${height}px`;
  });
  const ready = new Promise<void>((resolve) => bridge.addEventListener('initialized', () => resolve()));
  await bridge.connect(new PostMessageTransport(frame.contentWindow!, frame.contentWindow!));
  frame.srcdoc = html;
  await ready;
  await bridge.sendToolInput({ arguments: input });
  if (result) await bridge.sendToolResult(result);
  bridges.push(bridge);
  return heard;
}

Object.assign(globalThis, {
  show: async (shown: Shown) => {
    (globalThis as any).heard = await show(shown);
  },
  /** Sends what follows to the page shown last. */
  send: (result: any) => bridges.at(-1)!.sendToolResult(result),
  change: (theme: 'light' | 'dark') => bridges.at(-1)!.setHostContext({ theme, locale: 'en-US' }),
});
