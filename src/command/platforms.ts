import { AppError } from '../errors.ts';
import type { Platform } from '../ports/platform.ts';

/** The platforms that are on, by name. Adapters add theirs before they start. */
export interface Platforms {
  /** @param isReady tells whether people can use the platform at this moment */
  add(platform: Platform, isReady: () => boolean): void;
  readonly find: (name: string) => Platform | undefined;
  /** Throws `unavailable` for a platform that is off. */
  readonly get: (name: string) => Platform;
  /** Tells of each platform, by its name, whether people can use it. */
  readonly ready: () => Readonly<Record<string, boolean>>;
}

export const createPlatforms = (): Platforms => {
  const known = new Map<string, { readonly platform: Platform; readonly isReady: () => boolean }>();
  const find = (name: string): Platform | undefined => known.get(name)?.platform;
  return {
    add: (platform, isReady) => void known.set(platform.name, { platform, isReady }),
    find,
    get: (name) => {
      const platform = find(name);
      if (!platform) throw new AppError('unavailable', `the platform ${name} is off`);
      return platform;
    },
    ready: () => Object.fromEntries([...known].map(([name, { isReady }]) => [name, isReady()])),
  };
};
