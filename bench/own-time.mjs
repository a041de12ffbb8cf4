// Loaded into a bot that is measured: how long each message took from the moment at which its event
// was read until the request of its reply was written, the wait for its translation left out.
import { appendFileSync } from 'node:fs';
import { subscribe } from 'node:diagnostics_channel';

const EVERY_MS = 500;
const NUMBER = /number (\d+)/;

const file = process.env.OWN_TIME_FILE;
/** By the number in its text. */
const messages = new Map();
const byId = new Map();
const translations = new WeakMap();
const posts = new WeakMap();
let lines = [];

const { parse } = JSON;
JSON.parse = (...given) => {
  const value = parse(...given);
  if (value?.t === 'MESSAGE_CREATE') {
    const number = NUMBER.exec(value.d.content)?.[1];
    if (number !== undefined && !value.d.author.bot) {
      const message = { readMs: performance.now(), waitedMs: 0, askedMs: 0 };
      messages.set(number, message);
      byId.set(value.d.id, message);
    }
  }
  return value;
};

subscribe('undici:request:create', ({ request }) => {
  const body = String(request.body ?? '');
  if (request.path.endsWith('/translate/')) {
    const message = messages.get(NUMBER.exec(body)?.[1]);
    if (message) translations.set(request, message);
  } else if (request.path.endsWith('/messages')) {
    const id = /"message_id":"(\d+)"/.exec(body)?.[1];
    if (byId.has(id)) posts.set(request, id);
  }
});
subscribe('undici:client:sendHeaders', ({ request }) => {
  const message = translations.get(request);
  if (message) message.askedMs = performance.now();
});
subscribe('undici:request:trailers', ({ request }) => {
  const message = translations.get(request);
  if (message) message.waitedMs = performance.now() - message.askedMs;
});
subscribe('undici:request:bodySent', ({ request }) => {
  const id = posts.get(request);
  if (id === undefined) return;
  const { readMs, waitedMs } = byId.get(id);
  lines.push(`${id} ${performance.now() - readMs - waitedMs}\n`);
  byId.delete(id);
});

setInterval(() => {
  appendFileSync(file, lines.join(''));
  lines = [];
}, EVERY_MS).unref();
