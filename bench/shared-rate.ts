import { createServiceClient, type ServiceClient } from '../src/api/client.ts';
import { PATHS } from '../src/api/contract.ts';
import { NotSentError } from '../src/api/scheduler/scheduler.ts';
import { realClock, sleep } from '../src/async/clock.ts';
import { retryAfterTextMs } from '../src/http/retry-after.ts';
import type { Lane } from '../src/model/service.ts';
import { openStore } from '../src/store/index.ts';
import { onServer } from '../test/fakes/on-server.ts';
import { startPostgres } from '../test/fakes/postgres.ts';
import { startSpeechFake, type SpeechFake } from '../test/fakes/speech.ts';
import { createTokenBucket } from '../test/fakes/token-bucket.ts';
import { fixed, quantile } from './measure.ts';

/**
 * Three processes with one key against a service that takes 10 requests a second, 8 at once, over real sockets. Each
 * always has 12 ambient requests, and an interactive one in 3 s. They share the pace by a PostgreSQL, or each learns
 * for itself, or sends at once and repeats as the refusal says, up to five times. Then two rest.
 */

const LIMIT = { perSecond: 10, burst: 8 };
const PROCESSES = 3;
const AT_ONCE = 12;
const EVERY_MS = 3_000;
const TRIES = 5;
const [RUN_S = 90] = process.argv.slice(2).map(Number);
const RUN_MS = RUN_S * 1_000;
const ALONE_MS = 20_000;
/** Time that the one that stays has to find the whole rate. */
const SETTLE_MS = 1_000;

/** Sends one request to its end; false where it was lost. */
type Send = (lane: Lane) => Promise<boolean>;

interface Counted {
  readonly used: number;
  readonly refused: number;
}

interface Measured {
  readonly all: Counted;
  readonly alone: Counted;
  readonly p95Ms: number;
  readonly lost: number;
}

const measure = async (speech: SpeechFake, sends: readonly Send[]): Promise<Measured> => {
  const bucket = createTokenBucket(realClock.nowMs, LIMIT);
  const counts = { accepted: 0, refused: 0, lost: 0 };
  speech.limit = {
    ...bucket,
    take: () => {
      const waitMs = bucket.take();
      counts[waitMs === 0 ? 'accepted' : 'refused'] += 1;
      return waitMs;
    },
  };
  const during = async (ms: number): Promise<Counted> => {
    const before = { ...counts, allowed: bucket.allowed() };
    await sleep(realClock, ms);
    const [accepted, refused] = [
      counts.accepted - before.accepted,
      counts.refused - before.refused,
    ];
    return {
      used: accepted / (bucket.allowed() - before.allowed),
      refused: refused / (accepted + refused),
    };
  };
  const waitsMs: number[] = [];
  const busy = sends.map(() => new AbortController());
  const ambient = async (send: Send, { signal }: AbortController): Promise<void> => {
    while (!signal.aborted) if (!(await send('ambient'))) counts.lost += 1;
  };
  const interactive = async (send: Send, { signal }: AbortController): Promise<void> => {
    while (!signal.aborted) {
      await sleep(realClock, EVERY_MS * (0.5 + Math.random()));
      const sinceMs = realClock.nowMs();
      if (await send('interactive')) waitsMs.push(realClock.nowMs() - sinceMs);
      else counts.lost += 1;
    }
  };
  const running = sends.flatMap((send, index) => [
    ...Array.from({ length: AT_ONCE }, () => ambient(send, busy[index]!)),
    interactive(send, busy[index]!),
  ]);
  const all = await during(RUN_MS);
  const p95Ms = quantile(waitsMs, 0.95);
  for (const rested of busy.slice(1)) rested.abort();
  await sleep(realClock, SETTLE_MS);
  const alone = await during(ALONE_MS);
  speech.limit = undefined;
  for (const ended of busy) ended.abort();
  await Promise.all(running);
  return { all, alone, p95Ms, lost: counts.lost };
};

const { signal } = new AbortController();
const sendBy = (client: ServiceClient): Send => {
  return async (lane) => {
    const asker = { lane, space: { platform: 'bench', id: lane } };
    for (;;)
      try {
        const asked = { text: 'text', sourceLang: 'en', targetLang: 'es' };
        await client.translate(asked, { ...asker, signal });
        return true;
      } catch (thrown) {
        // As the inbox does: what could not be sent waits.
        if (!(thrown instanceof NotSentError)) return false;
        await sleep(realClock, thrown.retryAfterMs ?? 0);
      }
  };
};

const repeating =
  ({ url, key }: SpeechFake): Send =>
  async () => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const body = new FormData();
      for (const [name, value] of Object.entries({
        text: 'text',
        source_lang: 'en',
        target_lang: 'es',
      }))
        body.append(name, value);
      const headers = { authorization: `Bearer ${key}` };
      const reply = await fetch(url + PATHS.translate, { method: 'POST', headers, body });
      const said = await reply.text();
      if (reply.ok) return true;
      const waitMs = retryAfterTextMs(said) ?? 1_000;
      await sleep(realClock, waitMs + 1_000 * 2 ** attempt * Math.random());
    }
    return false;
  };

const ours = async (database: string | undefined): Promise<Measured> => {
  await using parts = new AsyncDisposableStack();
  const speech = parts.use(await startSpeechFake());
  const { url: baseUrl, key } = speech;
  const sends: Send[] = [];
  for (let index = 0; index < PROCESSES; index += 1) {
    const store = database === undefined ? undefined : await openStore(database);
    if (store) parts.adopt(store, async (open) => open.destroy());
    const states = store?.states;
    const sharing = states && { states, secret: undefined, service: baseUrl };
    sends.push(sendBy(parts.use(createServiceClient({ baseUrl, key, sharing }))));
  }
  return await measure(speech, sends);
};

const common = async (): Promise<Measured> => {
  await using speech = await startSpeechFake();
  return await measure(
    speech,
    Array.from({ length: PROCESSES }, () => repeating(speech)),
  );
};

// Timers do not keep the program alive by themselves.
const alive = setInterval(() => {}, 1_000);
await using server = await startPostgres();
await onServer(server.urlOf(''), 'CREATE DATABASE bench');
const results = [await ours(server.urlOf('bench')), await ours(undefined), await common()];
clearInterval(alive);

const percent = (share: number): string => `${fixed(share * 100, 1)} %`;
const row = (what: string, cell: (one: Measured) => string): void =>
  console.log(`| ${[what, ...results.map(cell)].join(' | ')} |`);
console.log('| what | shared | each learns alone | the common way |\n|---|---|---|---|');
row('share of the allowance that was used', ({ all }) => percent(all.used));
row('requests answered with 429', ({ all }) => percent(all.refused));
row('an interactive one, 95th percentile', ({ p95Ms }) => `${fixed(p95Ms / 1_000)} s`);
row('used by one while the others rest', ({ alone }) => percent(alone.used));
row('lost', ({ lost }) => String(lost));
