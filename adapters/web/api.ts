import { type Context, Hono } from 'hono';
import type { Core } from '../../src/adapter.ts';
import type { ServiceStatus } from '../../src/model/service.ts';
import type { Profile } from './profiles.ts';
import type { WebPresence } from './presence.ts';
import type {
  CompleteReply,
  ExamplesReply,
  PageFile,
  StatusReply,
  UploadReply,
} from './protocol.ts';
import { AppError, userError } from '../../src/errors.ts';
import { z } from 'zod';
import { heldSecret } from './access.ts';
import { findExamples } from './examples.ts';
import { readBodyBytes, readJsonBody } from './json-body.ts';
import { TIMES, WEB_LIMITS } from './limits.ts';
import { Readable } from 'node:stream';
import type { TempStore } from './temp-store.ts';
import { shownName } from '../../src/text/quoted-words.ts';

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

const MEDIA_TYPE = /^[\w.+-]+\/[\w.+-]+(?:; ?[\w-]+=[\w.+-]+)*$/;
const ANY_MEDIA_TYPE = 'application/octet-stream';

/** Sends one file of an answer, whole or in part, always as something to keep and not to run. */
export const sendFile = (
  c: Context,
  files: Pick<TempStore, 'read'>,
  file: PageFile | undefined,
): Response => {
  if (!file) throw userError('not-found', 'web.errors.file-gone');
  const range = parseRange(c.req.header('range'), file.sizeBytes);
  const headers = new Headers({
    'content-type': MEDIA_TYPE.test(file.mediaType) ? file.mediaType : ANY_MEDIA_TYPE,
    // Half a character cannot be encoded.
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name.toWellFormed())}`,
    'accept-ranges': 'bytes',
    // What is deleted here must not live on in browsers.
    'cache-control': 'no-store',
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
      : Readable.toWeb(Readable.from(files.read(file.id, { start, end }, c.req.raw.signal)));
  return new Response(body as ReadableStream | null, { status: range ? 206 : 200, headers });
};

const channelName = z.enum(['playground', 'lounge']);
const entryId = z.string().max(64);

/** Values by the names of a command's options. */
const byOption = <S extends z.ZodType>(value: S) =>
  z
    .record(z.string().max(80), value)
    .refine((given) => Object.keys(given).length <= WEB_LIMITS.options, 'too many options');

const lineRequest = z.object({
  channel: channelName,
  text: z.string().trim().min(1).max(WEB_LIMITS.lineChars),
});

const useRequest = z.object({
  channel: channelName,
  command: z.string().max(80),
  options: byOption(z.union([z.string(), z.number(), z.boolean()])),
  files: byOption(entryId).default({}),
});

const completeRequest = z.object({
  command: z.string().max(80),
  option: z.string().max(80),
  typed: z.string().max(200),
});

const stopRequest = z.object({ id: entryId });

const pressRequest = z.object({
  id: entryId,
  press: z.string().max(100),
  values: z.array(z.string().max(100)).max(WEB_LIMITS.options).default([]),
});

const meRequest = z.object({
  name: z.string().trim().min(1).max(WEB_LIMITS.nameChars).optional(),
  language: z.string().max(35).optional(),
});

export interface WebEnv {
  Variables: { member: Profile };
}

export interface ApiDeps {
  readonly core: Core;
  readonly presence: WebPresence;
  readonly status: () => Promise<ServiceStatus>;
  readonly localeOf: (c: Context) => string;
}

/** The page's HTTP API. The routes that listen or change anything know their member already. */
export const createApiRoutes = ({ core, presence, status, localeOf }: ApiDeps): Hono<WebEnv> => {
  const api = new Hono<WebEnv>();

  api.get('/events', (c) => {
    const lastId = c.req.header('last-event-id') ?? c.req.query('last') ?? '';
    return c.body(presence.events(c.var.member, lastId), 200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Proxies that collect a reply before they pass it on would hold every event back.
      'x-accel-buffering': 'no',
    });
  });

  api.post('/api/lines', async (c) => {
    const { channel, text } = await readJsonBody(c, lineRequest);
    await presence.post(c.var.member, channel, text);
    return c.json({}, 202);
  });

  api.post('/api/uses', async (c) => {
    const id = presence.use(c.var.member, await readJsonBody(c, useRequest));
    return c.json({ id }, 202);
  });

  api.post('/api/presses', async (c) => {
    presence.press(c.var.member, await readJsonBody(c, pressRequest));
    return c.json({}, 202);
  });

  api.post('/api/stop', async (c) => {
    const { id } = await readJsonBody(c, stopRequest);
    return c.json({ stopped: presence.stop(id, c.var.member.id) });
  });

  api.post('/api/complete', async (c) => {
    const request = await readJsonBody(c, completeRequest);
    const choices = await presence.complete(c.var.member, request);
    return c.json({ choices } satisfies CompleteReply);
  });

  api.get('/api/languages', (c) => {
    const locale = localeOf(c);
    const choices = core.services.languages
      .search('', locale)
      .map(({ code, name }) => ({ value: code, label: name }))
      .toSorted((a, b) => a.label.localeCompare(b.label, locale));
    return c.json({ choices } satisfies CompleteReply);
  });

  api.post('/api/me', async (c) => {
    const { name, language } = await readJsonBody(c, meRequest);
    if (name !== undefined) presence.rename(c.var.member, name);
    if (language !== undefined) await presence.read(c.var.member, language);
    return c.json({});
  });

  api.post('/api/uploads', async (c) => {
    // Forms of other sites can send neither this type nor a header of ours without asking first.
    if (c.req.header('content-type') !== 'application/octet-stream')
      throw new AppError('bad-input', 'an upload has the wrong type');
    const name = shownName((c.req.query('name') ?? '').slice(0, 200), 'file');
    const mediaType = (c.req.query('type') ?? '').slice(0, 100);
    const { id } = await presence.uploads.receive(
      c.var.member.id,
      { name, mediaType },
      readBodyBytes(c),
    );
    return c.json({ id } satisfies UploadReply, 201);
  });

  api.get('/api/status', async (c) => {
    const found = await status();
    if (presence.isOperators) return c.json(found satisfies StatusReply);
    // What adds an engine, and how much the whole bot is used, concerns the operator.
    const engines = found.engines.map((engine) => ({ ...engine, detail: '' }));
    return c.json({ ...found, engines, recent: undefined } satisfies StatusReply);
  });

  api.get('/api/examples', async (c) => {
    const signal = AbortSignal.timeout(TIMES.statusMs);
    const examples = await findExamples({ core, status }, localeOf(c), signal);
    return c.json(examples satisfies ExamplesReply);
  });

  api.get('/files/:id', (c) =>
    sendFile(c, presence.files, presence.fileFor(c.req.param('id'), heldSecret(c))),
  );

  return api;
};
