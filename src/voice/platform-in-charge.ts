import type { Platform } from '../ports/platform.ts';

/**
 * Creates a platform that shows and tells something, and creates threads, only while this process is in charge.
 * It deletes its messages all the same.
 *
 * @param assertInCharge throws where nothing may be begun: another process may be in charge
 * @param assertHeld throws where what was begun may not be shown any more
 */
export const platformInCharge = (
  platform: Platform,
  assertInCharge: () => void,
  assertHeld: () => void,
): Platform => {
  const { mirrors, tell } = platform;
  return {
    ...platform,
    post: async (to, content, options) => {
      assertInCharge();
      return platform.post(to, content, { ...options, assertHeld });
    },
    edit: async (message, content) => {
      assertInCharge();
      return platform.edit(message, content, { assertHeld });
    },
    ...(mirrors && {
      mirrors: {
        ...mirrors,
        thread: async (channel, name, options) => {
          assertInCharge();
          return mirrors.thread(channel, name, { ...options, assertHeld });
        },
      },
    }),
    ...(tell && {
      tell: async (person, content) => {
        assertInCharge();
        return tell.call(platform, person, content, { assertHeld });
      },
    }),
  };
};
