import { describe, expect, it } from 'vitest';
import { fetchFollowing } from '../../../service/models/redirects.ts';

const { signal } = new AbortController();
const headers = { range: 'bytes=5-' };

/** Fetches from servers that lead from one address to another, and counts the requests. */
const follow = async (from: string, leads: Readonly<Record<string, string>>) => {
  const asked: string[] = [];
  const send = async (address: unknown, init?: RequestInit): Promise<Response> => {
    const url = String(address);
    asked.push(url);
    expect(init).toEqual({ headers, signal, redirect: 'manual' });
    const location = leads[url];
    return location === undefined
      ? new Response('the file')
      : new Response('moved', { status: 302, headers: { location } });
  };
  const response = await fetchFollowing(from, { headers, signal }, send).catch(
    (error: unknown) => error,
  );
  const got = response instanceof Response ? await response.text() : String(response);
  return { asked, got };
};

describe('a redirect', () => {
  it.each([
    ['to another host', 'https://a.test/m', 'https://b.test/m'],
    ['to a path', 'https://a.test/m', '/n', 'https://a.test/n'],
    ['to encryption', 'http://127.0.0.1:8000/m', 'https://b.test/m'],
    ['where there was no encryption', 'http://127.0.0.1:8000/m', 'http://127.0.0.1:8001/m'],
  ])('%s is followed, with the same headers', async (_, from, location, target = location) => {
    const { asked, got } = await follow(from, { [from]: location });
    expect(got).toBe('the file');
    expect(asked).toEqual([from, target]);
  });

  it.each([
    ['from HTTPS to HTTP', 'http://a.test/m', /without encryption/],
    ['from HTTPS to HTTP on this machine', 'http://127.0.0.1/m', /without encryption/],
    ['to a file', 'file:///etc/passwd', /no address/],
    ['to data', 'data:,hello', /no address/],
    ['to what is no address', 'https://[', /no address/],
  ])('%s is not followed', async (_, location, words) => {
    const { asked, got } = await follow('https://a.test/m', { 'https://a.test/m': location });
    expect(got).toMatch(words);
    expect(asked).toEqual(['https://a.test/m']);
  });

  it('on the way, from HTTPS over HTTP and back, is not followed either', async () => {
    const { asked, got } = await follow('http://127.0.0.1/m', {
      'http://127.0.0.1/m': 'https://a.test/m',
      'https://a.test/m': 'http://b.test/m',
      'http://b.test/m': 'https://a.test/n',
    });
    expect(got).toMatch(/without encryption/);
    expect(asked).toEqual(['http://127.0.0.1/m', 'https://a.test/m']);
  });

  it('that comes after five others is not followed', async () => {
    const { asked, got } = await follow('https://a.test/m', {
      'https://a.test/m': 'https://a.test/m',
    });
    expect(got).toMatch(/without end/);
    expect(asked).toHaveLength(6);
  });
});
