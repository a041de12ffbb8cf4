import { describe, expect, it } from 'vitest';
import { createRealtime, type RealtimeOptions } from '../../../../src/api/realtime/index.ts';
import { ASKER } from '../../../fakes/asker.ts';
import { silentLog } from '../../../fakes/silent-log.ts';

const recognitionWith = (options: Pick<RealtimeOptions, 'uses' | 'followsSpeech'>) =>
  createRealtime({
    baseUrl: 'http://127.0.0.1:1',
    key: 'svck:x',
    requests: { speak: async () => Promise.reject(new Error('not asked')) },
    log: silentLog,
    ...options,
  }).recognition;

describe('realtime recognition', () => {
  it('is not used where neither the configuration nor the service asks for it', () => {
    expect(recognitionWith({ uses: [] })).toBeUndefined();
  });

  it.each([
    ['en', true, true],
    ['de', false, true],
    ['ka', false, false],
    [undefined, false, false],
  ])(
    'is used for a language that the service follows now: %s',
    async (language, isOn, isFollowed) => {
      const recognition = recognitionWith({
        uses: [],
        followsSpeech: async (asked) => {
          if (asked === 'en') return 'now';
          return asked === 'de' ? 'later' : undefined;
        },
      });
      expect(await recognition!.of(ASKER.space, language)).toMatchObject({
        isOn,
        isFollowed,
      });
    },
  );

  it('is used for any language where the configuration says so', async () => {
    const recognition = recognitionWith({
      uses: ['recognition'],
      followsSpeech: async () => undefined,
    });
    expect(await recognition!.of(ASKER.space, 'en')).toMatchObject({
      isOn: true,
      isFollowed: false,
    });
  });
});
