import type { IncomingMessage, ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { serve } from '../serve.ts';

/** How a file is served, once for each request in turn; the last way stays. */
export interface Way {
  /** Bytes of the body after which the connection is cut. */
  readonly cutAfter?: number;
  /** Bytes after which nothing more is sent, though the connection stays. */
  readonly silentAfter?: number;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the length that is announced; undefined in the header leaves it out. */
  readonly announced?: number | 'none';
  readonly etag?: string;
  readonly content?: Uint8Array;
  readonly ignoresRange?: boolean;
  readonly location?: string;
}

interface Served {
  readonly content: Uint8Array;
  readonly ways: Way[];
}

/** A file server on loopback with ranges, validators, and faults on demand. */
export interface Mirror extends AsyncDisposable {
  readonly url: string;
  /** Requests as `path range if-range`. */
  readonly requests: readonly string[];
  serve(path: string, content: Uint8Array, ...ways: readonly Way[]): string;
  /** Writes what is served into a folder, all beside each other. */
  save(folder: string): void;
}

const DEFAULT_ETAG = '"1"';

const rangeStart = (request: IncomingMessage, way: Way): number => {
  const start = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
  const condition = request.headers['if-range'];
  const isSame = condition === undefined || condition === (way.etag ?? DEFAULT_ETAG);
  return start !== undefined && isSame && way.ignoresRange !== true ? Number(start) : 0;
};

const reply = (
  request: IncomingMessage,
  response: ServerResponse,
  { content: usual }: Served,
  way: Way,
): void => {
  const content = way.content ?? usual;
  const start = rangeStart(request, way);
  if (way.location !== undefined) {
    response.writeHead(302, { location: way.location }).end();
    return;
  }
  if (way.status !== undefined && way.status !== 200) {
    response.writeHead(way.status, way.headers).end('no');
    return;
  }
  if (start >= content.length && start > 0) {
    response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
    return;
  }
  const rest = content.subarray(start);
  const length = way.announced ?? rest.length;
  response.writeHead(start > 0 ? 206 : 200, {
    etag: way.etag ?? DEFAULT_ETAG,
    ...(length === 'none' ? {} : { 'content-length': String(length) }),
    ...(start > 0
      ? { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` }
      : {}),
    ...way.headers,
  });
  const most = way.cutAfter ?? way.silentAfter;
  if (most === undefined || most >= rest.length) {
    response.end(rest);
    return;
  }
  response.write(rest.subarray(0, most), () => {
    // Closed, not reset: what was sent arrives before the end does.
    if (way.cutAfter !== undefined) response.socket?.end();
  });
};

export const startMirror = async (): Promise<Mirror> => {
  const files = new Map<string, Served>();
  const requests: string[] = [];
  const server = await serve((request, response) => {
    const path = request.url ?? '';
    const { range = '', 'if-range': ifRange = '' } = request.headers;
    requests.push([path, range, ifRange].filter(Boolean).join(' '));
    const served = files.get(path);
    if (!served) {
      response.writeHead(404).end('not here');
      return;
    }
    const way = (served.ways.length > 1 ? served.ways.shift() : served.ways[0]) ?? {};
    reply(request, response, served, way);
  });
  return {
    ...server,
    requests,
    serve: (path, content, ...ways) => {
      files.set(path, { content, ways: [...ways] });
      return `${server.url}${path}`;
    },
    save: (folder) => {
      for (const [path, { content }] of files) writeFileSync(join(folder, basename(path)), content);
    },
  };
};
