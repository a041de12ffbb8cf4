import type { Platform } from '../ports/platform.ts';

/**
 * Creates a platform that shows and tells something only while this process is in charge. It deletes its messages
 * all the same.
 *
 * @param assertInCharge throws where another process may be in charge
 */
export const platformInCharge = (platform: Platform, assertInCharge: () => void): Platform => {
  const { tell } = platform;
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
    ...(tell && {
      tell: async (...given: Parameters<typeof tell>) => {
        assertInCharge();
        return tell.call(platform, ...given);
      },
    }),
  };
};
