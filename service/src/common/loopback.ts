/** The names of this computer in URLs. */
export const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether a host, with or without a port, is this computer. */
export const isLoopback = (host: string): boolean =>
  loopbackNames.includes(host.toLowerCase().replace(/:\d{1,5}$/, ''));

/** Whether what is sent to a URL can be read only by its host: on https, or on this computer. */
export const isSecure = (url: string): boolean => url.startsWith('https:') || isLoopback(new URL(url).host);
