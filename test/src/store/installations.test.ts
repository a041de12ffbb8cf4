import { expect, it, describe } from 'vitest';
import { createLog } from '../../../src/log.ts';
import { cipherOf } from '../../../src/store/encryption.ts';
import { createInstallationStore } from '../../../src/store/installations.ts';
import { resealSecrets } from '../../../src/store/reseal.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';

const SPACE = { platform: 'slack', id: 'T1' };
const [OLD, NEW] = [1, 2].map((byte) => new Uint8Array(32).fill(byte)) as [Uint8Array, Uint8Array];

describe.each(['sqlite', 'postgres'])(
  'a secret that takes the place of another, in %s',
  (engine) => {
    const open = async () => {
      const url = engine === 'sqlite' ? 'sqlite::memory:' : await makeDatabase();
      const store = await openTestStore(url);
      const storeOf = (...keys: Uint8Array[]) => createInstallationStore(store, cipherOf(keys)!);
      /** Encrypts all anew, as a process with a newer key does when it starts. */
      const reseal = async (): Promise<void> => {
        const { resealed } = await resealSecrets(store, cipherOf([NEW, OLD])!, createLog('silent'));
        expect(resealed).toBe(1);
      };
      return { storeOf, reseal };
    };

    it('is stored where nothing has changed', async () => {
      const { storeOf } = await open();
      const installations = storeOf(OLD);
      await installations.put(SPACE, 'one');
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(true);
      expect(await installations.of(SPACE)).toBe('two');
    });

    it('is not stored over a newer one', async () => {
      const { storeOf } = await open();
      const installations = storeOf(OLD);
      await installations.put(SPACE, 'one');
      await installations.put(SPACE, 'newer');
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(false);
      expect(await installations.of(SPACE)).toBe('newer');
    });

    it('is not stored where the other one was removed', async () => {
      const { storeOf } = await open();
      const installations = storeOf(OLD);
      await installations.put(SPACE, 'one');
      await installations.remove(SPACE);
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(false);
      expect(await installations.of(SPACE)).toBeUndefined();
    });

    it.each([
      ['that this process has', [OLD, NEW]],
      ['that this process does not have', [OLD]],
    ])('is stored where the other one was encrypted anew with a key %s', async (_, keys) => {
      const { storeOf, reseal } = await open();
      const installations = storeOf(...keys);
      await installations.put(SPACE, 'one');
      await reseal();
      expect(await installations.replace(SPACE, 'one', 'two')).toBe(true);
      expect(await storeOf(NEW, OLD).of(SPACE)).toBe('two');
    });
  },
);
