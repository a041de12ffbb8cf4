import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { createWriteThread } from '../../../service/keys/write-thread.ts';
import { createKeys } from './support.ts';

describe('the thread that writes what keys spend', () => {
  it('says why it cannot, and goes on', async () => {
    const keys = createKeys();
    keys.create('ada');
    const { hash } = keys.find('ada')!;
    {
      using other = new DatabaseSync(keys.database);
      other.exec(
        "CREATE TRIGGER full BEFORE UPDATE ON keys BEGIN SELECT RAISE(ABORT, 'full'); END",
      );
    }
    await using thread = createWriteThread(keys.database);
    expect(await thread.spend(new Map([[hash, 3]]))).toBe('full');
    {
      using other = new DatabaseSync(keys.database);
      other.exec('DROP TRIGGER full');
    }
    expect(await thread.spend(new Map([[hash, 4]]))).toBeUndefined();
    expect(keys.find('ada')!.creditNanoUsd).toBe(9_999_999_996);
  });

  it('says why a database cannot be opened, and opens it later', async () => {
    const keys = createKeys();
    mkdirSync(keys.database, { recursive: true });
    await using thread = createWriteThread(keys.database);
    expect(await thread.spend(new Map([['a', 3]]))).toContain('cannot be opened');
  });
});
