import { createRequire } from 'node:module';

/** True when an optional package is installed; does not load it. */
export const isPackageInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
};
