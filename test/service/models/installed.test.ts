import { expect, it } from 'vitest';
import { inspectFolders } from '../../../service/models/installed.ts';
import { AppError } from '../../../src/errors.ts';

it('a folder that cannot be used or read is named, and the others are served', async () => {
  const looks: Readonly<Record<string, () => string | undefined>> = {
    good: () => 'model',
    foreign: () => undefined,
    cut: () => {
      throw new AppError('config', 'cut: a file is missing');
    },
    locked: () => {
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' });
    },
    last: () => 'another',
  };
  const folders = Object.keys(looks).map((path) => ({ path }));
  expect(await inspectFolders(folders, async ({ path }) => looks[path]!())).toEqual({
    found: ['model', 'another'],
    faults: ['cut: a file is missing', 'locked: it cannot be read (EACCES)'],
  });
});
