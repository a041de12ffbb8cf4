import type { AppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Mirror, Mirrors } from '../../../src/ports/mirrors.ts';
import type { WhileHeld } from '../../../src/ports/processes.ts';

/** What one call meets in place of doing its work, or after it: then the answer alone is lost. */
interface FeedFault {
  readonly call:
    | 'openThread'
    | 'pin'
    | 'pinned'
    | 'react'
    | 'reactors'
    | 'changeThread'
    | 'create'
    | 'update'
    | 'unquote'
    | 'remove'
    | 'history'
    | 'read'
    | 'post'
    | 'edit'
    | 'isReader';
  readonly error: AppError;
  readonly after?: boolean;
  /** The only channel whose history or new mirror it concerns. Default: the next one. */
  readonly channel?: Channel;
}

/** What a test lets the calls of a feed meet, and what was called. */
export interface FeedFaults {
  fail(...faults: FeedFault[]): void;
  /** What every read and write of a message in a channel, by its id, meets first: it rejects, or lasts. */
  readonly sick: Map<string, (mirror?: Mirror) => Promise<unknown>>;
  /** Does something in the middle of the next call of a kind. */
  during(call: FeedFault['call'], run: () => Promise<unknown>): void;
  readonly calls: string[];
  /** The effects for which nobody said whether they may still be. */
  readonly unguarded: string[];
}

/** @returns what a test uses, and what each call does about it */
export const createFaults = () => {
  const faults: FeedFault[] = [];
  const calls: string[] = [];
  const unguarded: string[] = [];
  const events: { call: FeedFault['call']; run: () => Promise<unknown> }[] = [];
  const fake: FeedFaults = {
    fail: (...more) => void faults.push(...more),
    sick: new Map(),
    during: (call, run) => void events.push({ call, run }),
    calls,
    unguarded,
  };
  return {
    fake,
    meet: (call: FeedFault['call'], after: boolean, of?: Channel): void => {
      if (!after) calls.push(call);
      const isMet = ({ channel: only }: FeedFault): boolean => !only || only.id === of?.id;
      const at = faults.findIndex(
        (one) => one.call === call && (one.after ?? false) === after && isMet(one),
      );
      const [fault] = at < 0 ? [] : faults.splice(at, 1);
      if (fault) throw fault.error;
    },
    ask: (effect: keyof Mirrors, assertHeld: WhileHeld['assertHeld']): void => {
      if (!assertHeld) unguarded.push(effect);
      assertHeld?.();
    },
    meanwhile: async (call: FeedFault['call']): Promise<void> => {
      const at = events.findIndex((event) => event.call === call);
      const [event] = at < 0 ? [] : events.splice(at, 1);
      await event?.run();
    },
  };
};

export type Faults = ReturnType<typeof createFaults>;
