import { type Context, Hono } from 'hono';
import type { Core } from '../../src/adapter.ts';
import type { ServiceStatus } from '../../src/model/service-status.ts';
import { sendFile } from './files.ts';
import type { Profile } from './profiles.ts';
import {
  completeRequest,
  lineRequest,
  meRequest,
  pressRequest,
  readBodyBytes,
  readJsonBody,
  stopRequest,
  useRequest,
} from './requests.ts';
import type { WebPresence } from './presence.ts';
import type { CompleteReply, StatusReply, UploadReply } from './protocol.ts';
import { AppError } from '../../src/errors.ts';

export interface WebEnv {
  Variables: { member: Profile };
}

export interface ApiDeps {
  readonly core: Core;
  readonly presence: WebPresence;
  readonly status: () => Promise<ServiceStatus>;
  readonly localeOf: (c: Context) => string;
}

const MAX_LANGUAGES = 50;

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
    presence.post(c.var.member, channel, text);
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
    const found = core.services.languages.search(
      (c.req.query('typed') ?? '').slice(0, 100),
      localeOf(c),
    );
    const choices = found
      .slice(0, MAX_LANGUAGES)
      .map(({ code, name }) => ({ value: code, label: name }));
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
    const name = (c.req.query('name') ?? '').slice(0, 200) || 'file';
    const mediaType = (c.req.query('type') ?? '').slice(0, 100);
    const { id } = await presence.uploads.receive(
      c.var.member.id,
      { name, mediaType },
      readBodyBytes(c),
    );
    return c.json({ id } satisfies UploadReply, 201);
  });

  api.get('/api/status', async (c) => c.json((await status()) satisfies StatusReply));

  api.get('/files/:id', (c) => sendFile(c, presence.files, c.req.param('id')));

  return api;
};
