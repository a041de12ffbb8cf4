import type { Platform } from '../ports/platform.ts';

/**
 * Creates a platform that shows and tells something, and creates threads, only while this process is in charge.
 * It deletes its messages all the same.
 *
 * @param assertInCharge throws where another process may be in charge
 */
export const platformInCharge = (platform: Platform, assertInCharge: () => void): Platform => {
  const { mirrors, tell } = platform;
  return {
    ...platform,
    post: async (...given) => {
      assertInCharge();
      return platform.post(...given);
    },
    edit: async (...given) => {
      assertInCharge();
      return platform.edit(...given);
    },
    ...(mirrors && {
      mirrors: {
        ...mirrors,
        thread: async (...given) => {
          assertInCharge();
          return mirrors.thread(...given);
        },
      },
    }),
    ...(tell && {
      tell: async (...given: Parameters<typeof tell>) => {
        assertInCharge();
        return tell.call(platform, ...given);
      },
    }),
  };
};
