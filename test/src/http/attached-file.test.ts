import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { demandFileHost, type FileHosts } from '../../../src/http/attached-file.ts';

const AT: FileHosts = {
  platform: 'Discord',
  hosts: new Set(['cdn.discordapp.com', 'media.discordapp.net']),
  ownOrigin: undefined,
};

/** Ways to write an address of this machine, its network or a cloud’s metadata. */
const INSIDE = ['127.0.0.1', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '0']
  .concat(['localhost', 'localhost.', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]'])
  .concat(['[64:ff9b::7f00:1]', '[fe80::1]', '[fd00::1]', '10.0.0.1', '192.168.1.1', '172.16.0.1'])
  .concat(['169.254.169.254', 'metadata.google.internal', '①②⑦.⓪.⓪.①', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ'])
  // A name that its owner may let lead anywhere.
  .concat(['127.0.0.1.nip.io', 'rebind.example', 'cdn.discordapp.com.rebind.example']);

const AROUND = [
  (host: string) => `https://${host}/a`,
  (host: string) => `http://${host}/a`,
  (host: string) => `https://${host}:443/a`,
  (host: string) => `https://cdn.discordapp.com@${host}/a`,
  (host: string) => `https://cdn.discordapp.com:x@${host}/a`,
  (host: string) => `https://${host}\\@cdn.discordapp.com/a`,
  (host: string) => `https://${host}#@cdn.discordapp.com/a`,
  (host: string) => `https://${host}?@cdn.discordapp.com/a`,
  (host: string) => `https:\\\\${host}/a`,
  (host: string) => `https:${host}/a`,
  (host: string) => `\u0000https://${host}/a`,
  (host: string) => `//${host}/a`,
];

const mayFetch = (address: string, at: FileHosts): boolean => {
  try {
    demandFileHost(address, at);
    return true;
  } catch (thrown) {
    expect(thrown).toMatchObject({ code: 'forbidden' });
    return false;
  }
};

describe('the address of an attached file', () => {
  it('is fetched from the platform’s hosts', () => {
    for (const host of AT.hosts) expect(mayFetch(`https://${host}/a?b=c`, AT)).toBe(true);
  });

  it.each(INSIDE)('never leads to %s, however it is written', (host) => {
    for (const written of AROUND) expect(mayFetch(written(host), AT), written(host)).toBe(false);
  });

  it.each(['ftp', 'file', 'data', 'ws', 'wss', 'gopher', 'blob', 'javascript'])(
    'is not of the scheme %s',
    (scheme) => {
      expect(mayFetch(`${scheme}://cdn.discordapp.com/a`, AT)).toBe(false);
      expect(mayFetch(`${scheme}:https://cdn.discordapp.com/a`, AT)).toBe(false);
    },
  );

  it('has no other port, no name and no password', () => {
    for (const address of [
      'https://cdn.discordapp.com:8443/a',
      'https://ann@cdn.discordapp.com/a',
      'https://:secret@cdn.discordapp.com/a',
      'https://cdn.discordapp.com./a',
    ])
      expect(mayFetch(address, AT), address).toBe(false);
  });

  it('is on one of the hosts as the client that fetches reads it, whatever it is', () => {
    const parts = fc.constantFrom(
      'https:',
      'http:',
      '/',
      '//',
      '\\',
      '@',
      ':',
      '#',
      '?',
      '.',
      '%2f',
    );
    const words = fc.constantFrom(...AT.hosts, ...INSIDE, 'evil.example', 'a', '\t', '\n', '。');
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, words), { maxLength: 9 }), (written) => {
        const address = written.join('');
        if (!mayFetch(address, AT)) return;
        const { protocol, host } = new URL(address);
        expect(protocol).toBe('https:');
        expect(AT.hosts.has(host)).toBe(true);
      }),
    );
  });

  it('of a server that stands for the platform is of exactly its origin', () => {
    const at = { ...AT, ownOrigin: 'http://127.0.0.1:3000' };
    expect(mayFetch('http://127.0.0.1:3000/a', at)).toBe(true);
    for (const other of [
      'http://127.0.0.1:3001/a',
      'https://127.0.0.1:3000/a',
      'http://localhost:3000/a',
    ])
      expect(mayFetch(other, at), other).toBe(false);
  });
});
