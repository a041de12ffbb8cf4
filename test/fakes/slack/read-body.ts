import type { IncomingMessage } from 'node:http';
import { SlackFault } from './errors.ts';

const BODY_BYTES = 1_048_576;

/** Reads a request's body; one that is larger than the limit is refused. */
export const readBody = async (request: IncomingMessage, limit = BODY_BYTES): Promise<Buffer> => {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.byteLength;
    if (size > limit) throw new SlackFault('request_too_large', {}, 413);
    parts.push(part);
  }
  return Buffer.concat(parts);
};
