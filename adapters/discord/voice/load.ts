import { AppError } from '../../../src/errors.ts';

/** Loads the voice connection, which is slow; rejects with `missing` without its native part. */
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
