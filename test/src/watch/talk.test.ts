import { describe, expect, it } from 'vitest';
import { createTalk } from '../../../src/watch/talk.ts';

describe('what was said before', () => {
  it('is told oldest first, place by place', () => {
    const talk = createTalk();
    talk.next('a', { id: '1', text: 'one' });
    talk.next('b', { id: '2', text: 'elsewhere' });
    expect(talk.next('a', { id: '3', text: 'two' })).toEqual(['one']);
    expect(talk.next('a', { id: '4', text: 'three' })).toEqual(['one', 'two']);
  });

  it('is at most 2,000 code points with the breaks between, the newest kept', () => {
    const talk = createTalk();
    talk.next('a', { id: '1', text: 'old' });
    talk.next('a', { id: '2', text: '🙂'.repeat(1_500) });
    talk.next('a', { id: '3', text: 'x'.repeat(498) });
    expect(talk.next('a', { id: '4', text: '' })).toEqual(['🙂'.repeat(1_500), 'x'.repeat(498)]);
    talk.next('a', { id: '5', text: 'y' });
    expect(talk.next('a', { id: '6', text: '' })).toEqual(['x'.repeat(498), '', 'y']);
  });

  it('does not tell a message of its own former state', () => {
    const talk = createTalk();
    talk.next('a', { id: '1', text: 'befor' });
    expect(talk.next('a', { id: '1', text: 'before' })).toEqual([]);
  });

  it('forgets the places that were quiet for longest', () => {
    const talk = createTalk();
    for (let place = 0; place < 1_001; place += 1) talk.next(`${place}`, { id: '1', text: 'x' });
    expect(talk.next('0', { id: '2', text: '' })).toEqual([]);
    expect(talk.next('1000', { id: '2', text: '' })).toEqual(['x']);
  });
});
