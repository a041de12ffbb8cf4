import type { Clock } from '../async/clock.ts';
import { MINUTE_MS } from '../async/time.ts';
import type { AppError } from '../errors.ts';
import type { Restrictions } from '../ports/voice.ts';
import type { StatusMessages } from './status-messages.ts';
import type { RoomTexts } from './texts.ts';

export interface RestrictionStatusDeps {
  readonly clock: Clock;
  readonly messages: Pick<StatusMessages, 'show' | 'settle'>;
  readonly texts: Pick<RoomTexts, 'restricted' | 'status'>;
}

/** Time for which a restriction, or its end, has lasted before it is told. */
const LASTS_MS = 3_000;
/** Time without a restriction after which the next one gets a message of its own. */
const CALM_MS = MINUTE_MS;

const KINDS = ['speaking', 'hearing'] as const;
type Kind = (typeof KINDS)[number];

/** Tells one restriction in a message that is edited while it comes and goes. */
const createTopic = (
  kind: Kind,
  { clock, messages, texts }: RestrictionStatusDeps,
): Disposable & {
  set(fault: AppError | undefined): void;
  readonly told: () => AppError | undefined;
} => {
  const topic = `restricted ${kind}`;
  let now: AppError | undefined;
  let told: AppError | undefined;
  let cancel: (() => void) | undefined;

  const lifted = () => texts.status(kind === 'speaking' ? 'room.may-speak' : 'room.may-hear');
  const tell = (): void => {
    const before = told;
    told = now;
    if (told) return void messages.show(topic, texts.restricted(told));
    if (!before) return;
    void messages.show(topic, lifted());
    cancel = clock.after(CALM_MS, () => void messages.settle(topic, lifted()));
  };
  return {
    set: (fault) => {
      if (fault?.sentence?.key === now?.sentence?.key) return;
      now = fault;
      cancel?.();
      cancel = clock.after(LASTS_MS, tell);
    },
    told: () => told,
    [Symbol.dispose]: () => cancel?.(),
  };
};

/**
 * Tells a room what moderators keep the bot from, and when they no longer do: once for each time, however often
 * it changes meanwhile.
 */
export const createRestrictionStatus = (deps: RestrictionStatusDeps) => {
  const topics = { speaking: createTopic('speaking', deps), hearing: createTopic('hearing', deps) };
  return {
    set: (restrictions: Restrictions): void => {
      for (const kind of KINDS) topics[kind].set(restrictions[kind]);
    },
    /** The restrictions that were told and still hold. */
    told: (): Restrictions => ({
      speaking: topics.speaking.told(),
      hearing: topics.hearing.told(),
    }),
    [Symbol.dispose]: (): void => {
      for (const kind of KINDS) topics[kind][Symbol.dispose]();
    },
  };
};
