import { describe, expect, it } from 'vitest';
import { createTranslationContext } from '../../../src/autotranslate/context.ts';

describe('what was said before', () => {
  it('is told oldest first, place by place', () => {
    const talk = createTranslationContext();
    talk.next('a', { authorId: 'ada', id: '1', text: 'one' });
    talk.next('b', { authorId: 'ada', id: '2', text: 'elsewhere' });
    expect(talk.next('a', { authorId: 'ada', id: '3', text: 'two' })).toEqual(['one']);
    expect(talk.next('a', { authorId: 'ada', id: '4', text: 'three' })).toEqual(['one', 'two']);
  });

  it('is at most 2,000 code points with the breaks between, the newest kept', () => {
    const talk = createTranslationContext();
    talk.next('a', { authorId: 'ada', id: '1', text: 'old' });
    talk.next('a', { authorId: 'ada', id: '2', text: '🙂'.repeat(1_500) });
    talk.next('a', { authorId: 'ada', id: '3', text: 'x'.repeat(498) });
    expect(talk.next('a', { authorId: 'ada', id: '4', text: '' })).toEqual([
      '🙂'.repeat(1_500),
      'x'.repeat(498),
    ]);
    talk.next('a', { authorId: 'ada', id: '5', text: 'y' });
    expect(talk.next('a', { authorId: 'ada', id: '6', text: '' })).toEqual([
      'x'.repeat(498),
      '',
      'y',
    ]);
  });

  it('is the last few turns, however short they are', () => {
    const talk = createTranslationContext();
    for (let id = 0; id < 100; id += 1)
      talk.next('a', { authorId: 'ada', id: `${id}`, text: `${id}` });
    const told = talk.next('a', { authorId: 'ada', id: 'x', text: '' });
    expect(told.length).toBeLessThan(20);
    expect(told.at(-1)).toBe('99');
  });

  it('does not tell a message of its own former state', () => {
    const talk = createTranslationContext();
    talk.next('a', { authorId: 'ada', id: '1', text: 'befor' });
    expect(talk.next('a', { authorId: 'ada', id: '1', text: 'before' })).toEqual([]);
  });

  it('forgets what was taken back, and everything of somebody who is to be forgotten', () => {
    const talk = createTranslationContext();
    talk.next('a', { authorId: 'ada', id: '1', text: 'one' });
    talk.next('a', { authorId: 'bob', id: '2', text: 'two' });
    talk.next('a', { authorId: 'ada', id: '3', text: 'three' });
    talk.forget({ id: '1' });
    expect(talk.next('a', { authorId: 'bob', id: '4', text: 'four' })).toEqual(['two', 'three']);
    talk.forget({ authorId: 'bob' });
    expect(talk.next('a', { authorId: 'ada', id: '5', text: '' })).toEqual(['three']);
  });

  it('forgets the places that were quiet for longest', () => {
    const talk = createTranslationContext();
    for (let place = 0; place < 1_001; place += 1)
      talk.next(`${place}`, { authorId: 'ada', id: '1', text: 'x' });
    expect(talk.next('0', { authorId: 'ada', id: '2', text: '' })).toEqual([]);
    expect(talk.next('1000', { authorId: 'ada', id: '2', text: '' })).toEqual(['x']);
  });
});
