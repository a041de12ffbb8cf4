import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FaultPlan } from '../fault-plan.ts';
import { spoilAnswer, type Effect } from './faults.ts';
import type { Json } from './json.ts';
import { uploads } from './methods/files.ts';
import { installationOf } from './render.ts';
import { readBody } from './read-body.ts';
import type { World } from './state.ts';

/** The name of downloads in `fail`. */
export const DOWNLOAD = 'GET files-pri';
const UPLOAD_BYTES = 64 * 1_048_576;

/** Takes the bytes of an upload: as they are, or as the one file of a form. */
export const takeUpload = async (
  world: World,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const id = (request.url ?? '').split('/').at(-1) ?? '';
  const upload = uploads(world).get(id);
  if (!upload || request.method !== 'POST') {
    response.writeHead(404).end('not found');
    return;
  }
  const body = await readBody(request, UPLOAD_BYTES);
  const type = request.headers['content-type'] ?? '';
  let bytes = new Uint8Array(body);
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(bytes, { headers: { 'content-type': type } }).formData();
    const [file] = [...form.values()].filter((value) => typeof value !== 'string');
    bytes = new Uint8Array(file ? await file.arrayBuffer() : new ArrayBuffer());
  }
  upload.bytes = bytes;
  response.writeHead(200).end(`OK - ${bytes.byteLength}`);
};

/** The page that a request without a good token gets, with status 200 as at Slack. */
const LOGIN_PAGE = '<!DOCTYPE html><html><head><title>Sign in | Slack</title></head></html>';

/** Serves a private file to whoever has a token of its workspace with `files:read`. */
export const serveFile = async (
  world: World,
  plan: FaultPlan<Json, Effect>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const effect = plan.take(DOWNLOAD, { url: request.url });
  if (await spoilAnswer(effect, 'before', response)) return;
  const id = /\/files-pri\/\w+-(?<id>\w+)\//.exec(request.url ?? '')?.groups?.['id'];
  const file = world.files.get(id ?? '');
  const token = /^Bearer (?<token>\S+)$/.exec(request.headers.authorization ?? '')?.groups?.[
    'token'
  ];
  const installation = token === undefined ? undefined : installationOf(world, token);
  if (!installation?.active || !installation.scopes.has('files:read')) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(LOGIN_PAGE);
    return;
  }
  if (!file || file.deleted) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, {
    'content-type': file.mimetype,
    'content-length': String(file.bytes.byteLength),
  });
  response.end(file.bytes);
};
