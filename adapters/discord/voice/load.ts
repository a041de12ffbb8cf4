import { AppError } from '../../../src/errors.ts';

/**
 * Loads what speaks with voice servers, when it is first needed: it takes its time, and most servers
 * never speak. Rejects with `missing` where its native part was not installed.
 */
export const loadLink = async (): Promise<typeof import('./connection.ts')> => {
  try {
    return await import('./connection.ts');
  } catch (cause) {
    throw new AppError(
      'missing',
      'the encryption of voice channels is not installed: run npm ci without --omit=optional',
      { cause, sentence: { key: 'room.no-encryption' }, remedy: { key: 'remedies.doctor' } },
    );
  }
};
