import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { AppError } from '../../src/errors.ts';
import type { TempStore } from './temp-store.ts';

interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * The one range that a `Range` header asks for (RFC 9110 section 14); undefined when the whole file
 * is to be sent, `unsatisfiable` when the range lies outside of it.
 */
export const parseRange = (
  header: string | undefined,
  sizeBytes: number,
): Range | 'unsatisfiable' | undefined => {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header?.trim() ?? '');
  if (!match || (match[1] === '' && match[2] === '')) return undefined;
  const [, first = '', last = ''] = match;
  if (first === '') {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
};

/** Sends one file of an answer, whole or in part, always as something to keep and not to run. */
export const sendFile = (c: Context, files: TempStore, id: string): Response => {
  const file = files.get(id);
  if (!file)
    throw new AppError('not-found', 'a file is gone', {
      sentence: { key: 'web.errors.file-gone' },
    });
  const range = parseRange(c.req.header('range'), file.sizeBytes);
  const headers = new Headers({
    'content-type': file.mediaType,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    'accept-ranges': 'bytes',
    'cache-control': 'private, max-age=3600, immutable',
    'cross-origin-resource-policy': 'same-origin',
  });
  if (range === 'unsatisfiable') {
    headers.set('content-range', `bytes */${file.sizeBytes}`);
    return new Response(null, { status: 416, headers });
  }
  const { start, end } = range ?? { start: 0, end: file.sizeBytes - 1 };
  headers.set('content-length', String(end - start + 1));
  if (range) headers.set('content-range', `bytes ${start}-${end}/${file.sizeBytes}`);
  const body =
    c.req.method === 'HEAD' || file.sizeBytes === 0
      ? null
      : Readable.toWeb(Readable.from(files.read(id, { start, end }, c.req.raw.signal)));
  return new Response(body as ReadableStream | null, { status: range ? 206 : 200, headers });
};
