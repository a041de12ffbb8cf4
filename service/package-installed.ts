import { createRequire } from 'node:module';

/** Whether an optional package is there, without loading it. */
export const isPackageInstalled = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
};
