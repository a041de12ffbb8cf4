import { once } from 'node:events';
import { buffer } from 'node:stream/consumers';
import { serve } from './serve.ts';

/** A request to a server of an engine. */
export interface BackEndRequest {
  readonly method: string;
  /** Path with its query. */
  readonly path: string;
  readonly authorization: string | undefined;
  readonly bytes: number;
  /** The JSON body; empty without one. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface BackEndReply {
  readonly status?: number;
  readonly json?: unknown;
  /** In place of JSON. */
  readonly html?: string;
  readonly retryAfter?: string;
  /** True for no byte of a reply, until the client leaves. */
  readonly silent?: boolean;
}

/** A server on loopback that answers with JSON; a reply given to `next` is the next one of its path. */
export const startBackEnd = async (
  answer: (request: BackEndRequest) => BackEndReply | Promise<BackEndReply>,
) => {
  const requests: BackEndRequest[] = [];
  const instead = new Map<string, BackEndReply[]>();
  const { url, ...server } = await serve((incoming, response) => {
    void (async () => {
      const bytes = await buffer(incoming);
      const request: BackEndRequest = {
        method: incoming.method ?? '',
        path: incoming.url ?? '',
        authorization: incoming.headers.authorization,
        bytes: bytes.length,
        body: bytes.length > 0 ? (JSON.parse(bytes.toString()) as BackEndRequest['body']) : {},
      };
      requests.push(request);
      const reply = instead.get(request.path)?.shift() ?? (await answer(request));
      if (reply.silent) {
        await once(response, 'close');
        return;
      }
      const { status = 200, html, json, retryAfter } = reply;
      response.writeHead(status, {
        'content-type': html === undefined ? 'application/json' : 'text/html; charset=utf-8',
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      });
      response.end(html ?? (json === undefined ? '' : JSON.stringify(json)));
    })();
  });
  return {
    url,
    requests,
    /** Requests of a path. */
    to: (path: string): readonly BackEndRequest[] => requests.filter((each) => each.path === path),
    next: (path: string, reply: BackEndReply): void => {
      instead.set(path, [...(instead.get(path) ?? []), reply]);
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
};

/** Replies of a server that is not what it should be, or not well. */
export const FAULTY: readonly (readonly [string, BackEndReply])[] = [
  ['a page', { html: '<html><body>Welcome</body></html>' }],
  ['nothing', {}],
  ['JSON of another form', { json: { hello: 1 } }],
  ['an enormous reply', { json: 'x'.repeat(9 * 1024 * 1024) }],
  ['a list in place of texts', { json: { translatedText: [], translations: [] } }],
  ['an error of its own', { status: 503, json: { error: 'loading' } }],
];
