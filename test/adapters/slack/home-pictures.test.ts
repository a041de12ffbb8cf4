import { expect, test } from 'vitest';
import { createPictures } from '../../../adapters/slack/home.ts';
import { silentLog } from '../../fakes/silent-log.ts';

const [one, two] = ['T1', 'T2'].map((id) => ({ platform: 'slack', id })) as [
  { platform: string; id: string },
  { platform: string; id: string },
];
const chart = (byte: number) => ({
  name: 'chart.png',
  mediaType: 'image/png',
  bytes: new Uint8Array([byte]),
});

const open = () => {
  const deleted: string[] = [];
  let uploaded = 0;
  const uploads = {
    keep: async () => `F${(uploaded += 1)}`,
    remove: async (_space: unknown, fileId: string) => void deleted.push(fileId),
  };
  const pictures = createPictures(uploads, silentLog);
  return { pictures, deleted };
};

test('a picture is uploaded again when it changed, and the former one is deleted', async () => {
  const { pictures, deleted } = open();
  expect(await pictures.idOf(one, 'U1', chart(1))).toBe('F1');
  expect(await pictures.idOf(one, 'U1', chart(1))).toBe('F1');
  expect(await pictures.idOf(one, 'U1', chart(2))).toBe('F2');
  expect(deleted).toEqual(['F1']);
});

test('of a workspace that removed the app nothing is known, and other workspaces keep theirs', async () => {
  const { pictures, deleted } = open();
  await pictures.idOf(one, 'U1', chart(1));
  await pictures.idOf(two, 'U2', chart(1));
  pictures.forgetSpace(one);
  expect(await pictures.idOf(one, 'U1', chart(1))).toBe('F3');
  expect(await pictures.idOf(two, 'U2', chart(1))).toBe('F2');
  expect(deleted).toEqual([]);
});
