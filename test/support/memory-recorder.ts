/** A recorder that keeps what it is given in memory, or answers what a test tells it to. */
import type { Recorder, Recording } from '../../producer/index.ts';

type Submission = Parameters<Recorder['record']>[0];

export interface MemoryRecorder extends Recorder {
  readonly submissions: readonly Submission[];
  readonly counted: readonly string[];
}

export const memoryRecorder = (answer: (submission: Submission) => Recording = keep): MemoryRecorder => {
  const submissions: Submission[] = [];
  const counted: string[] = [];
  return {
    submissions,
    counted,
    record: (submission) => {
      submissions.push(submission);
      return Promise.resolve(answer(submission));
    },
    countRefusal: (code) => {
      counted.push(code);
    },
    state: () => Promise.resolve({ outbox: undefined, problem: undefined }),
    flush: () => Promise.resolve(0),
    close: () => Promise.resolve(0),
  };
};

function keep({ counts }: Submission): Recording {
  return { kept: true, counts };
}
