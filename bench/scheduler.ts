import { setTimeout as delay } from 'node:timers/promises';
import { createServiceClient } from '../src/api/client.ts';
import { PATHS } from '../src/api/contract.ts';
import { NotSentError } from '../src/api/scheduler/scheduler.ts';
import { realClock, sleep, type Clock } from '../src/async/clock.ts';
import { retryAfterTextMs } from '../src/http/retry-after.ts';
import { createRandom } from '../test/fakes/random.ts';
import { startSpeechFake, type SpeechFake } from '../test/fakes/speech.ts';
import { createTokenBucket, type TokenBucket } from '../test/fakes/token-bucket.ts';
import { mixedJobs, type SimulatedJob } from '../test/src/api/scheduler/simulation.ts';
import { fixed, printTable, quantile } from './measure.ts';

/**
 * A service that takes 5 requests a second, 8 at once, against 2,000 translations for channels of 20
 * spaces and 200 for people who wait for them, over real sockets. The common way sends each at once and
 * repeats it as the refusal says, up to five times. Time runs faster here, the service's limit with it.
 */

const SPEED = 4;
const LIMIT = { perSecond: 5, burst: 8 };
const TRIES = 5;
const SEED = 1;

const clock: Clock = {
  nowMs: () => realClock.nowMs() * SPEED,
  after: (delayMs, run) => realClock.after(delayMs / SPEED, run),
};

/** Sends one job to its end; false where it was lost. */
type Send = (job: SimulatedJob, text: string) => Promise<boolean>;

interface Measured {
  readonly used: number;
  readonly refused: number;
  readonly p95Ms: number;
  readonly lost: number;
  readonly twice: number;
}

const measure = async (speech: SpeechFake, bucket: TokenBucket, send: Send): Promise<Measured> => {
  const counts = { accepted: 0, refused: 0 };
  speech.limit = {
    ...bucket,
    take: () => {
      const waitMs = bucket.take();
      counts[waitMs === 0 ? 'accepted' : 'refused'] += 1;
      return waitMs;
    },
  };
  const waitsMs: number[] = [];
  let lost = 0;
  const run = async (job: SimulatedJob, index: number): Promise<void> => {
    await delay(job.atMs / SPEED);
    const sinceMs = clock.nowMs();
    const isDone = await send(job, `text ${index}`);
    if (!isDone) lost += 1;
    else if (job.lane === 'interactive') waitsMs.push(clock.nowMs() - sinceMs);
  };
  const jobs = mixedJobs(createRandom(SEED));
  await Promise.all(jobs.map(run));
  const translated = counts.accepted - (jobs.length - lost);
  return {
    used: counts.accepted / bucket.allowed(),
    refused: counts.refused / (counts.accepted + counts.refused),
    p95Ms: quantile(waitsMs, 0.95),
    lost,
    twice: translated,
  };
};

const ours = async (): Promise<Measured> => {
  await using speech = await startSpeechFake();
  const { url: baseUrl, key } = speech;
  await using client = createServiceClient({ baseUrl, key, clock });
  const { signal } = new AbortController();
  return await measure(speech, createTokenBucket(clock.nowMs, LIMIT), async (job, text) => {
    const asker = { lane: job.lane, space: { platform: 'bench', id: job.space } };
    for (;;)
      try {
        await client.translate({ text, sourceLang: 'en', targetLang: 'es' }, { ...asker, signal });
        return true;
      } catch (thrown) {
        // As the inbox does: what could not be sent waits.
        if (!(thrown instanceof NotSentError)) return false;
        await sleep(clock, thrown.retryAfterMs ?? 0);
      }
  });
};

const common = async (): Promise<Measured> => {
  await using speech = await startSpeechFake();
  return await measure(speech, createTokenBucket(clock.nowMs, LIMIT), async (_, text) => {
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const body = new FormData();
      for (const [name, value] of Object.entries({ text, source_lang: 'en', target_lang: 'es' }))
        body.append(name, value);
      const headers = { authorization: `Bearer ${speech.key}` };
      const url = speech.url + PATHS.translate;
      const reply = await fetch(url, { method: 'POST', headers, body }).catch(() => undefined);
      const said = (await reply?.text()) ?? '';
      if (reply?.ok) return true;
      await sleep(clock, (retryAfterTextMs(said) ?? 1_000) + 1_000 * 2 ** attempt * Math.random());
    }
    return false;
  });
};

// Timers do not keep the program alive by themselves.
const alive = setInterval(() => {}, 1_000);
// One after the other: a flood in the same process delays the other's timers.
const [mine, plain] = [await ours(), await common()];
clearInterval(alive);

const percent = (share: number): string => `${fixed(share * 100, 1)} %`;
printTable('2,000 ambient and 200 interactive requests at 5 a second, burst 8', [
  {
    what: 'share of the allowance that was used',
    ours: percent(mine.used),
    common: percent(plain.used),
    ratio: fixed(mine.used / plain.used),
  },
  {
    what: 'requests answered with 429',
    ours: percent(mine.refused),
    common: percent(plain.refused),
    ratio: fixed(mine.refused / plain.refused, 3),
  },
  {
    what: 'an interactive one, 95th percentile',
    ours: `${fixed(mine.p95Ms / 1_000, 2)} s`,
    common: `${fixed(plain.p95Ms / 1_000, 2)} s`,
    ratio: fixed(mine.p95Ms / plain.p95Ms, 3),
  },
  { what: 'lost', ours: String(mine.lost), common: String(plain.lost), ratio: '–' },
  { what: 'sent twice', ours: String(mine.twice), common: String(plain.twice), ratio: '–' },
]);
