import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Effect } from './faults.ts';
import { spoil } from '../spoil.ts';
import type { Attachment, World } from './state.ts';

/** Signed links live for a day. */
const LINK_LIFE_MS = 24 * 3_600_000;

const sign = (world: World, path: string, ex: string, is: string): string =>
  createHmac('sha256', world.token).update(`${path}?ex=${ex}&is=${is}`).digest('hex');

/** A link to the bytes, good for 24 hours of the fake's clock. */
export const attachmentUrl = (world: World, attachment: Attachment): string => {
  const folder = attachment.ephemeral ? 'ephemeral-attachments' : 'attachments';
  const name = encodeURIComponent(attachment.name);
  const path = `/cdn/${folder}/${attachment.channelId}/${attachment.id}/${name}`;
  const seconds = Math.floor(world.clock.now() / 1000);
  const ex = (seconds + LINK_LIFE_MS / 1000).toString(16);
  const is = seconds.toString(16);
  return `${world.origin}${path}?ex=${ex}&is=${is}&hm=${sign(world, path, ex, is)}&`;
};

const write = async (response: ServerResponse, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => response.write(bytes, () => resolve()));

/**
 * Answers a request for a file and returns the status: 404 for what is gone, expired or wrongly
 * signed. With an effect that comes `after`, half of the bytes have gone out before it.
 */
export const serveFile = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  effect: Effect | undefined,
): Promise<number> => {
  const attachment = world.attachments.get(url.pathname.split('/')[4] ?? '');
  const ex = url.searchParams.get('ex') ?? '';
  const is = url.searchParams.get('is') ?? '';
  const good =
    attachment?.available === true &&
    Number.parseInt(ex, 16) * 1000 > world.clock.now() &&
    url.searchParams.get('hm') === sign(world, url.pathname, ex, is);
  if (!good) {
    response.writeHead(404, { 'content-type': 'text/plain;charset=UTF-8' });
    response.end('This content is no longer available.');
    return 404;
  }
  const { bytes, contentType } = attachment;
  response.writeHead(200, {
    'content-type': contentType ?? 'application/octet-stream',
    'content-length': bytes.byteLength,
  });
  const half = bytes.byteLength >> 1;
  if (effect !== undefined) await write(response, bytes.subarray(0, half));
  if (await spoil(effect, 'after', response)) return 200;
  const rest = effect === undefined ? bytes : bytes.subarray(half);
  response.end(request.method === 'HEAD' ? undefined : rest);
  return 200;
};
