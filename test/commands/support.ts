import { afterEach, beforeEach } from 'vitest';
import type { Channel, Member } from '../../src/model/place.ts';
import type { Room } from '../../src/voice/room-types.ts';
import { openCommandHarness, SPACE, type CommandHarness } from '../fakes/command-harness.ts';
import type { Shown } from '../fakes/platform.ts';
import {
  SPACE as HARNESS_SPACE,
  startCoreHarness,
  type CoreHarness,
} from '../fakes/core-harness.ts';

/** A harness of its own for each test of a file. */
export const useCommandHarness = (): (() => CommandHarness) => {
  let harness: CommandHarness;
  beforeEach(async () => {
    harness = await openCommandHarness();
  });
  afterEach(() => harness[Symbol.asyncDispose]());
  return () => harness;
};

/** A harness of its own for each test of a file. */
export const useCoreHarness = () => {
  let harness: CoreHarness;
  beforeEach(async () => {
    harness = await startCoreHarness();
  });
  afterEach(() => harness[Symbol.asyncDispose]());
  return {
    harness: () => harness,
    /** What a command shows in the end. */
    last: async (
      command: string,
      options: Record<string, unknown> = {},
      member: Partial<Member> = {},
    ): Promise<Shown> => {
      const content = (await harness.run(command, options, member)).at(-1);
      if (!content) throw new Error('nothing was shown');
      return content;
    },
    completions: (command: string, option: string, typed: string) =>
      harness.core.complete({
        command,
        option,
        typed,
        member: { platform: 'test', id: 'ada', name: 'Ada', locale: 'en', role: 'moderator' },
        space: HARNESS_SPACE,
      }),
  };
};

/** What moderators chose for the harness's space. */
export const choicesOf = ({ services }: CommandHarness) => services.spaces.of(SPACE);

export const ROOM: Channel = { space: SPACE, id: '500' };
/** In the room with us, once we meet; moderates nothing. */
export const BOB = { id: 'bob', name: 'Bob', role: 'member' } as const;
/** In no room; moderates nothing. */
export const EVE = { id: 'eve', name: 'Eve', role: 'member' } as const;

/** The room of a harness, and what was asked of it. */
export const useRoom = (harness: () => CommandHarness) => ({
  /** Lets us be in the room, with Ada and Bob. */
  meet: async (): Promise<void> => {
    for (const id of ['ada', 'bob']) harness().rooms.people.set(id, ROOM);
    await harness().rooms.join(ROOM, 'en', true);
  },
  room: (): Room | undefined => harness().rooms.of(SPACE),
  calls: (name: string) => harness().rooms.calls.filter(([called]) => called === name),
});
