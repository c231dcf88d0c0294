import { describe, expect, test } from 'vitest';
import { openTextReader } from './open-reader.js';

const { read } = openTextReader();
const indexing = openTextReader({ indexesHidden: true });
const pageOf = (body: string) => new TextEncoder().encode(`<!doctype html><html><body>${body}</body></html>`);

describe('what a web page hides', () => {
  const hidden = [
    '<p hidden>UNSEEN</p>',
    '<div style="color: red; DISPLAY : none !important">UNSEEN</div>',
    '<div style="visibility:hidden"><b>UNSEEN</b><br></div>',
    '<dialog>UNSEEN</dialog>',
    '<div popover>UNSEEN</div>',
    '<div hidden><img alt="UNSEEN"></div>',
  ];
  test.each(hidden)('%s is left out, which the page says', async (body) => {
    const outcome = await read(pageOf(`<p>seen</p>${body}<p>too</p>`), 'text/html', 'a.html');
    expect(outcome).toMatchObject({ text: 'seen\n\ntoo', state: 'partial', cause: 'hidden', permanent: true });
    expect(outcome.detail).toContain('elements (1)');
  });

  test.each(hidden)('%s is marked if it is indexed', async (body) => {
    const outcome = await indexing.read(pageOf(`<p>seen</p>${body}`), 'text/html', 'a.html');
    expect(outcome).toEqual({ text: 'seen\n\n[Hidden] UNSEEN', state: 'read' });
  });

  test('of an email is left out, too', async () => {
    const email = 'Subject: S\r\nContent-Type: text/html\r\n\r\n<div style="display:none">UNSEEN</div><p>Body</p>';
    const outcome = await read(new TextEncoder().encode(email), 'message/rfc822', 'a.eml');
    expect(outcome).toMatchObject({ text: 'Subject: S\n\nBody', state: 'partial', cause: 'hidden' });
  });
});

describe('a web page', () => {
  test.each([
    ['<p aria-hidden="true">seen</p>', 'seen'],
    ['<p hidden="until-found">seen</p><dialog open>open</dialog>', 'seen\n\nopen'],
    ['<p style="display: none-such">seen</p>', 'seen'],
    ['<div hidden><script>x</script></div><input type="hidden" hidden value="x"><p>seen</p>', 'seen'],
    ['<template>unused</template><div><template shadowrootmode="open">seen</template></div>', 'seen'],
    ['<iframe>fallback</iframe><video>fallback</video><audio>fallback</audio><canvas>a plan</canvas>', 'a plan'],
    [
      '<p>a</p><iframe srcdoc="<p>M&amp;uuml;ller</p><iframe srcdoc=\'c\'></iframe>">old</iframe><p>b</p>',
      'a\n\nMüller\n\nc\n\nb',
    ],
    ['<iframe srcdoc="<h1>a</h1>"></iframe>b', '# a\n\nb'],
    ['a<iframe srcdoc=" "></iframe>b', 'a\n\nb'],
    ['<ol start=3><li>a<ul><li>b</ul><li hidden><li>c<li value=9>d<li>e</ol>', '3. a\n\n- b\n\n4. c\n9. d\n10. e'],
    ['<ol><li>a<li><p>b</p></ol><ul><li>c</ul>', '1. a\n\n2. b\n\n- c'],
    [
      '<ol type=a><li>a</ol><ol reversed><li>b</ol><ol start=0 style="list-style-type: decimal"><li>0</ol><ol style="list-style: none"><li>c</ol>',
      '- a\n\n- b\n\n0. 0\n\n- c',
    ],
    ['<textarea placeholder="Your message"></textarea>', 'Your message'],
    ['<input placeholder="Your name"><input type="image" alt="Search">', 'Your name Search'],
    ['<meter>3 of 10</meter><progress>70%</progress>', '3 of 10 70%'],
    ['see<sup><a href="#1">1</a></sup>, x<sup>2</sup> and H<sub>2</sub>O', 'see 1, x2 and H2O'],
    ['<math><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>=</mo><msup><mi>x</mi><mn>2</mn></msup></math>', 'a/b=x^2'],
    ['<math><msubsup><mo>∑</mo><mi>i</mi><mi>n</mi></msubsup><msqrt><mi>x</mi></msqrt></math>', '∑_i^n√x'],
  ])('%s is read as displayed: %s', async (body, expected) => {
    expect(await read(pageOf(body), 'text/html', 'a.html')).toEqual({ text: expected, state: 'read' });
  });

  test('has its text even if the head has no end tag', async () => {
    const page = '<html><head><title>T</title><meta charset="utf-8"><p>Body <svg><title>Plan</title></svg></p>';
    expect(await read(new TextEncoder().encode(page), 'text/html', 'a.html')).toEqual({
      text: 'Body\n\nPlan',
      state: 'read',
    });
    const bare = new TextEncoder().encode('<html><head><script>x</script>Words');
    expect(await read(bare, 'text/html', 'a.html')).toEqual({ text: 'Words', state: 'read' });
  });
});
