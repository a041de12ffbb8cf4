import { startFlagRemoval, type FlagRemovalDeps } from './flags/removal.ts';
import { createGivenUpNotices, GATHER_MS, type GivenUpNoticesDeps } from './moderators/given-up.ts';
import {
  ANNOUNCED_EVERY_MS,
  createTermAnnouncements,
  type TermAnnouncementsDeps,
} from './moderators/term-announcements.ts';
import { startRepeated } from './repeated.ts';
import { startRetention, type RetentionDeps } from './retention.ts';

type RepeatedWorkDeps = RetentionDeps &
  FlagRemovalDeps &
  GivenUpNoticesDeps &
  TermAnnouncementsDeps & { readonly closeRequests: () => Promise<void> };

/** Creates the work that one of all processes does now and then: clearing what is old, and telling what was not told. */
export const createRepeatedWork = (deps: RepeatedWorkDeps) => {
  const givenUp = createGivenUpNotices(deps);
  const announcements = createTermAnnouncements(deps);
  let started: readonly AsyncDisposable[] = [];
  return {
    /** Announces an accepted entry of the glossary. Never rejects. */
    announce: announcements.announce,
    start: (): void => {
      if (started.length > 0) return;
      started = [
        startRetention(deps),
        startFlagRemoval(deps),
        startRepeated(deps.leases, 'given-up', GATHER_MS, givenUp.look),
        startRepeated(deps.leases, 'announcements', ANNOUNCED_EVERY_MS, announcements.look),
        startRepeated(deps.leases, 'requests', ANNOUNCED_EVERY_MS, deps.closeRequests),
      ];
    },
    /** Resolves when nothing is being told. */
    idle: async (): Promise<void> => {
      await Promise.all([givenUp.idle(), announcements.idle()]);
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      await Promise.all(started.map((each) => each[Symbol.asyncDispose]()));
    },
  };
};
