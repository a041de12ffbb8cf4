import { afterEach, beforeEach } from 'vitest';
import type { Channel } from '../../src/model/place.ts';
import type { Content } from '../../src/model/content.ts';
import type { Member } from '../../src/model/member.ts';
import type { Room } from '../../src/voice/service.ts';
import { openDesk, SPACE, type Desk } from '../fakes/command-harness.ts';
import { SPACE as HARNESS_SPACE, startHarness, type Harness } from '../fakes/harness.ts';

/** A desk of its own for each test of a file. */
export const useDesk = (): (() => Desk) => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk();
  });
  afterEach(() => desk[Symbol.asyncDispose]());
  return () => desk;
};

/** A harness of its own for each test of a file. */
export const useHarness = () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness();
  });
  afterEach(() => harness[Symbol.asyncDispose]());
  return {
    harness: () => harness,
    /** What a command shows in the end. */
    last: async (
      command: string,
      options: Record<string, unknown> = {},
      member: Partial<Member> = {},
    ): Promise<Content> => {
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

export const ROOM: Channel = { space: SPACE, id: '500' };
/** In the room with us, once we meet; moderates nothing. */
export const BOB = { id: 'bob', name: 'Bob', role: 'member' } as const;
/** In no room; moderates nothing. */
export const EVE = { id: 'eve', name: 'Eve', role: 'member' } as const;

/** The room of a desk, and what was asked of it. */
export const useRoom = (desk: () => Desk) => ({
  /** Lets us be in the room, with Ada and Bob. */
  meet: async (): Promise<void> => {
    for (const id of ['ada', 'bob']) desk().rooms.people.set(id, ROOM);
    await desk().rooms.join(ROOM, 'en', true);
  },
  room: (): Room | undefined => desk().rooms.of(SPACE),
  calls: (name: string) => desk().rooms.calls.filter(([called]) => called === name),
});
