import { BlockList, isIP, isIPv4 } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { isLoopback } from '../../src/config.ts';
import { AppError } from '../../src/errors.ts';

const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

const halves = (group: string): readonly number[] => {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 255];
};

/**
 * Writes an IP address in its one short form, without a port or zone; an IPv4-mapped one as IPv4.
 * Undefined for anything else.
 */
export const parseAddress = (text: string): string | undefined => {
  const trimmed = text.trim();
  const [, bracketed, withPort] = /^(?:\[([^\]]*)\](?::\d+)?|([\d.]+):\d+)$/.exec(trimmed) ?? [];
  const [address = ''] = (bracketed ?? withPort ?? trimmed).split('%', 1);
  const family = isIP(address);
  if (family !== 6) return family === 4 ? address : undefined;
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(short) ?? [];
  return high === undefined || low === undefined ? short : [high, low].flatMap(halves).join('.');
};

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6');

/** Bits before the IPv4 address in a mapped one. */
const MAPPED_BITS = 96;

/**
 * Reads addresses and CIDR ranges, separated by commas or spaces. Undefined when one of them is
 * neither.
 */
export const parseRanges = (text: string): BlockList | undefined => {
  const ranges = new BlockList();
  for (const range of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const [, written = '', bits] = /^([^/[\]]+)(?:\/(\d{1,3}))?$/.exec(range) ?? [];
    const address = parseAddress(written);
    if (address === undefined || isIP(written) === 0) return undefined;
    const family = familyOf(address);
    const most = family === 'ipv4' ? 32 : 128;
    const given = bits === undefined ? most : Number(bits);
    const isMapped = family === 'ipv4' && isIP(written) === 6 && bits !== undefined;
    const prefix = isMapped ? given - MAPPED_BITS : given;
    if (prefix < 0 || prefix > most) return undefined;
    ranges.addSubnet(address, prefix, family);
  }
  return ranges;
};

/**
 * Finds the address of a client behind proxies. Their header, with one address or a list of them, is
 * read from its end for as long as the address that added to it is among `trusted`: what stands before
 * may have been made up by anybody.
 *
 * @param remote the other end of the connection
 * @param forwarded the header's value
 */
export const clientAddress = (
  trusted: BlockList,
  remote: string,
  forwarded: string | undefined,
): string => {
  let client = parseAddress(remote) ?? '';
  for (const hop of (forwarded?.split(',') ?? []).toReversed()) {
    if (client === '' || !trusted.check(client, familyOf(client))) break;
    const before = parseAddress(hop);
    if (before === undefined) break;
    client = before;
  }
  return client;
};

/** Groups of an IPv6 address that name a network: a client may have all addresses in it. */
const NETWORK_GROUPS = 4;

/** The network by which a client is counted: an IPv4 address, or the /64 of an IPv6 address. */
export const networkOf = (address: string): string => {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::');
  const [first, last] = [head, tail].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - (first?.length ?? 0) - (last?.length ?? 0) }, () => '0');
  return [...(first ?? []), ...zeros, ...(last ?? [])].slice(0, NETWORK_GROUPS).join(':');
};

const YEAR_S = 365 * 24 * 60 * 60;

/** True when the connection to the browser is encrypted, as far as a proxy in front tells. */
const isSecure = (c: Context): boolean =>
  new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https';

/** A cookie that scripts cannot read and other sites cannot have sent. */
export const setOwnCookie = (c: Context, name: string, value: string): void =>
  setCookie(c, name, value, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    maxAge: value === '' ? 0 : YEAR_S,
    secure: isSecure(c),
  });

export const MEMBER_COOKIE = 'dragoman_member';

/** The secret of the member whose browser asks; undefined where it has none. */
export const heldSecret = (c: Context): string | undefined => {
  const known = getCookie(c, MEMBER_COOKIE);
  return known !== undefined && /^[\w-]{32}$/.test(known) ? known : undefined;
};

/** Refuses names that only a rebinding attack would use, on a server that listens on loopback. */
export const loopbackNamesOnly = (): MiddlewareHandler => async (c, next) => {
  const url = `http://${c.req.header('host') ?? ''}`;
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  if (!isLoopback(host.replaceAll(/^\[|\]$/g, '')))
    throw new AppError('forbidden', 'the Host header is not a name of this machine');
  await next();
};

/** True where the page that asks has the address that it asks. */
export const isOwnOrigin = (c: Context, origin: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === c.req.header('host');

/**
 * True when another site's page asked a visitor's browser for this. `Sec-Fetch-Site` decides where
 * the browser sends it (HTTPS and loopback), else `Origin`; a client that sends neither is no
 * browser.
 */
export const isFromElsewhere = (c: Context): boolean => {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  return site === undefined
    ? origin !== undefined && !isOwnOrigin(c, origin)
    : site !== 'same-origin' && site !== 'none';
};

/** True for a visitor who follows a link to the page, and does not embed it. */
const opensPage = (c: Context): boolean =>
  c.req.method === 'GET' &&
  c.req.path === '/' &&
  c.req.header('sec-fetch-mode') === 'navigate' &&
  c.req.header('sec-fetch-dest') === 'document';

/** Refuses what other sites ask a visitor's browser for, but for a link that opens the page. */
export const ownPageOnly = (): MiddlewareHandler => async (c, next) => {
  if (isFromElsewhere(c) && !opensPage(c))
    throw new AppError('forbidden', 'a request from another site was refused');
  await next();
};
