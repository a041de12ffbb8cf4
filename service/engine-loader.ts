import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { realClock, waitUntil, type Clock, backoffMs, type Backoff } from '../src/async/clock.ts';
import { AppError } from '../src/errors.ts';
import { missingEngineText, type MissingAbility } from '../src/http/missing-engine.ts';
import type { EngineReport } from '../src/model/service.ts';
import { imageAdvice } from '../src/process/program.ts';
import type { Ability, EngineOrder } from './config.ts';
import type {
  CreateEngine,
  DiarisationEngine,
  Engine,
  EngineContext,
  EngineAbilities,
} from './engine.ts';
import { ContractError } from './errors.ts';
import {
  createCallRate,
  createRequestLimiter,
  type CallRate,
  type RequestLimiter,
} from './request-limiter.ts';
import type { LanguagePair } from './translation/plain-writing.ts';

/** True when a language is meant by a code: `es` means every Spanish, `es-MX` that of Mexico. */
const isMeant = (language: string, code: string): boolean => {
  const [asked, meant] = [language.toLowerCase(), code.toLowerCase()];
  return asked === meant || asked.startsWith(`${meant}-`);
};

/** Sorts engines as the configuration says for the ability, or better for the pair; the rest follow. */
export const inPreferredOrder = <E extends { readonly name: string }>(
  engines: readonly E[],
  orders: readonly EngineOrder[],
  ability: Ability,
  pair: LanguagePair | undefined,
): readonly E[] => {
  const ofAbility = orders.filter((order) => order.ability === ability);
  const order =
    ofAbility.find(
      ({ from, to }) =>
        pair &&
        from !== undefined &&
        to !== undefined &&
        isMeant(pair.from, from) &&
        isMeant(pair.to, to),
    ) ?? ofAbility.find(({ from }) => from === undefined);
  if (!order) return engines;
  const place = ({ name }: E): number => {
    const at = order.engines.indexOf(name);
    return at < 0 ? order.engines.length : at;
  };
  return engines.toSorted((a, b) => place(a) - place(b));
};

/** Time until a failed engine is tried again; it doubles with each further failure. */
const PAUSES: Backoff = { firstMs: 2_000, longestMs: 60_000 };
/** The same for one that hangs: each try makes somebody wait. */
const HANG_PAUSE_MS = 60_000;
/** Longest wait for its first words until then. */
const BRIEF_MS = 5_000;
/** Bounds of the wait for an engine's first words while another engine could answer. */
const PATIENCE = { leastMs: 8_000, mostMs: 20_000 };
/** The same wait as a multiple of what the engine's slowest first words took lately. */
const TIMES_SLOWEST = 4;
/** Share of the slowest time that is kept with each further answer. */
const KEPT = 0.9;

/** Memory of an engine's failures, for one ability. */
export type EngineHealth = ReturnType<typeof createEngineHealth>;

export const createEngineHealth = (clock: Pick<Clock, 'nowMs'> = realClock) => {
  let failures = 0;
  let hangs = 0;
  let slowestMs: number | undefined;
  let tryAgainAtMs = -Infinity;
  return {
    /**
     * True when a call may go to the engine: it works, or its pause is over. Then this call is the only
     * try until it succeeds or the next pause is over.
     */
    mayTry: (): boolean => {
      if (failures === 0) return true;
      if (clock.nowMs() < tryAgainAtMs) return false;
      tryAgainAtMs = clock.nowMs() + (hangs > 0 ? HANG_PAUSE_MS : backoffMs(PAUSES, failures - 1));
      return true;
    },
    /**
     * Longest wait for the engine's first words. It is short for one that is known to be fast, longer after each
     * hang, as a model may have to be loaded, and shortest until the pause after a hang is over.
     *
     * @param isPaused true for a call that `mayTry` refused
     * @param isLast true when no other engine could answer
     */
    patienceMs: (isPaused: boolean, isLast: boolean): number => {
      if (isPaused && hangs > 0) return Math.max(BRIEF_MS, slowestMs ?? 0);
      if (isLast) return Infinity;
      if (slowestMs === undefined) return PATIENCE.mostMs;
      const usualMs = Math.max(PATIENCE.leastMs, TIMES_SLOWEST * slowestMs);
      return Math.min(PATIENCE.mostMs, usualMs * 2 ** hangs);
    },
    /** @param firstWordsMs time that the first words took */
    succeeded: (firstWordsMs: number): void => {
      failures = 0;
      hangs = 0;
      slowestMs = Math.max(firstWordsMs, KEPT * (slowestMs ?? 0));
    },
    /** @param waitMs time that the engine itself asked to wait */
    failed: (waitMs: number = 0): void => {
      failures += 1;
      tryAgainAtMs = clock.nowMs() + backoffMs(PAUSES, failures - 1, waitMs);
    },
    hung: (): void => {
      failures += 1;
      hangs += 1;
      tryAgainAtMs = clock.nowMs() + HANG_PAUSE_MS;
    },
  };
};

/** Longest wait for what an engine offers while another one could serve. */
const LONGEST_WAIT_MS = 1_000;

/** True for an engine that has the ability, and translates the pair, if there is one. */
const canServe = (
  abilities: EngineAbilities,
  ability: Ability,
  pair: LanguagePair | undefined,
): boolean =>
  pair
    ? abilities.translation?.translates(pair.from, pair.to) === true
    : abilities[ability] !== undefined;

/** Calls that may wait for an engine; one more gets a 429. */
const WAITING = 32;

/** An engine for one ability, and the limiter that its calls go through. */
export interface Offer<A extends Ability> {
  readonly name: string;
  readonly engine: NonNullable<EngineAbilities[A]>;
  readonly limiter: RequestLimiter;
  readonly health: EngineHealth;
}

export const engineNamesOf = (offers: readonly Pick<Offer<Ability>, 'name'>[]): readonly string[] =>
  offers.map(({ name }) => name);

export type Engines = Awaited<ReturnType<typeof loadEngines>>;

const loadEngine = async (file: URL, context: EngineContext): Promise<Engine> => {
  const name = basename(file.pathname);
  let loaded: { createEngine?: unknown };
  try {
    loaded = (await import(file.href)) as { createEngine?: unknown };
  } catch (cause) {
    throw new AppError('config', `the engine ${name} cannot be loaded`, { cause });
  }
  if (typeof loaded.createEngine !== 'function')
    throw new AppError('config', `the engine ${name} does not export createEngine`);
  return (loaded.createEngine as (...of: Parameters<CreateEngine>) => Engine | Promise<Engine>)(
    context,
  );
};

const ENGINES = new URL('./engines/', import.meta.url);

const engineFiles = async (folder: URL): Promise<readonly URL[]> =>
  (await readdir(folder, { withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map(({ name }) => new URL(name, folder));

/** Names of the engines that there are; each is named as its file. */
export const engineNames = async (): Promise<readonly string[]> =>
  (await engineFiles(ENGINES)).map(({ pathname }) => basename(pathname, '.ts')).toSorted();

/**
 * Loads every file of `folder` as an engine. Throws `AppError` (`config`) with the name of an
 * invalid one.
 */
export const loadEngines = async (
  context: EngineContext,
  folder = ENGINES,
  clock: Clock = realClock,
) => {
  const files = await engineFiles(folder);
  const engines = (await Promise.all(files.map((file) => loadEngine(file, context)))).toSorted(
    (a, b) => a.rank - b.rank || a.name.localeCompare(b.name, 'en'),
  );

  const { SERVICE_ENGINE_ORDER: orders, SERVICE_ENGINE_RATES: rates } = context.config;
  const namesIn = {
    SERVICE_ENGINE_ORDER: orders.flatMap((order) => order.engines),
    SERVICE_ENGINE_RATES: rates.map(({ engine }) => engine),
  };
  for (const [variable, names] of Object.entries(namesIn)) {
    const unknown = names.find((name) => engines.every((engine) => engine.name !== name));
    if (unknown !== undefined)
      throw new AppError(
        'config',
        `${variable} names ${unknown}, which is no engine; there are ${engines.map(({ name }) => name).join(', ')}`,
      );
  }

  const reported = engines.filter(({ isForDevelopers = false }) => !isForDevelopers);
  const advise = (advice: string): string =>
    context.config.DRAGOMAN_IMAGE ? imageAdvice(advice) : advice;

  const callRates = rates.map(({ rate, ...whose }) => ({
    ...whose,
    rate: createCallRate(realClock, rate),
  }));
  const callRateOf = ({ name }: Engine, ability: Ability): CallRate | undefined => {
    const own = callRates.filter(({ engine }) => engine === name);
    const found = own.find((one) => one.ability === ability);
    return (found ?? own.find((one) => one.ability === undefined))?.rate;
  };

  /** Parts of an offer that last as long as the service runs. */
  type Lasting = Pick<Offer<Ability>, 'limiter' | 'health'>;
  const lasting = new Map<string, Lasting>();
  const limiters = new Map<string | CallRate, RequestLimiter>();
  const limiterOf = (engine: Engine, ability: Ability): RequestLimiter => {
    const { name, concurrent, sharesTurns = false } = engine;
    const rate = callRateOf(engine, ability);
    // Abilities with rates of their own cannot wait in one queue.
    const whose = sharesTurns ? (rate ?? name) : `${name} ${ability}`;
    const limiter =
      limiters.get(whose) ?? createRequestLimiter({ concurrent, waiting: WAITING, rate });
    limiters.set(whose, limiter);
    return limiter;
  };
  const lastingOf = (engine: Engine, ability: Ability): Lasting => {
    const id = `${engine.name} ${ability}`;
    let found = lasting.get(id);
    if (!found) {
      found = { limiter: limiterOf(engine, ability), health: createEngineHealth() };
      lasting.set(id, found);
    }
    return found;
  };

  /** The abilities of an engine; none where it fails, which the others do not suffer from. */
  const abilitiesOf = async (engine: Engine, ability: Ability): Promise<EngineAbilities> => {
    try {
      return await engine.abilities(ability);
    } catch (error) {
      context.log.warn({ engine: engine.name, err: error }, 'an engine cannot tell what it offers');
      return {};
    }
  };

  const offersFor = async <A extends Ability>(
    ability: A,
    pair?: LanguagePair,
  ): Promise<readonly Offer<A>[]> => {
    const candidates = engines.filter(({ serves }) => serves.includes(ability));
    const known: EngineAbilities[] = candidates.map(() => ({}));
    const all = Promise.all(
      candidates.map(async (candidate, index) => {
        known[index] = await abilitiesOf(candidate, ability);
      }),
    );
    await waitUntil(clock, clock.nowMs() + LONGEST_WAIT_MS, all);
    if (!known.some((abilities) => canServe(abilities, ability, pair))) await all;
    const rankOf = ({ rank }: Engine, { translation }: EngineAbilities): number =>
      (pair && translation?.rank?.(pair.from, pair.to)) ?? rank;
    const offered = candidates.flatMap((candidate, index) => {
      const engine = known[index]?.[ability];
      if (!engine) return [];
      const offer: Offer<A> = { name: candidate.name, engine, ...lastingOf(candidate, ability) };
      return [{ name: offer.name, offer, rank: rankOf(candidate, known[index] ?? {}) }];
    });
    const ranked = offered.toSorted((a, b) => a.rank - b.rank);
    return inPreferredOrder(ranked, orders, ability, pair).map(({ offer }) => offer);
  };

  return {
    /** The engines that have the ability at the moment, best first for the languages, if any. */
    offers: offersFor,
    /** Resolves with what tells speakers apart; undefined where no engine does. */
    diarisation: async (): Promise<DiarisationEngine | undefined> => {
      for (const engine of engines) {
        const found = await engine.diarisation?.();
        if (found) return found;
      }
      return undefined;
    },
    /** Creates the 404 that names the missing ability and how to add it. */
    missing: (need: MissingAbility): ContractError => {
      const named = engines
        .toReversed()
        .map((engine) => engine.remedy(need))
        .filter((remedy) => remedy !== undefined)
        .map(advise);
      const remedies = [...new Set(named)];
      return new ContractError(
        'ErrServiceNotRegistered',
        missingEngineText({ ...need, remedies }),
        {
          context: ['engines', need.ability],
        },
      );
    },
    /** Measures what models keep up with on this machine. */
    measure: async function* (signal: AbortSignal) {
      for (const engine of engines)
        for await (const detail of engine.measure?.(signal) ?? [])
          yield { name: engine.name, detail };
    },
    report: async (): Promise<readonly EngineReport[]> => {
      const lines = reported.map(async (engine): Promise<readonly EngineReport[]> => {
        const { name, serves } = engine;
        try {
          const own = [await engine.report()].flat();
          return own.map((line) => ({ ...line, detail: advise(line.detail) }));
        } catch (error) {
          const detail = error instanceof Error ? error.message : 'it failed';
          return [{ name, serves, ready: false, detail }];
        }
      });
      return (await Promise.all(lines)).flat();
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.allSettled(engines.map((engine) => engine[Symbol.asyncDispose]()));
    },
  };
};
