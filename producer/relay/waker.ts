/** A wait that ends early: by new rows, or for good. */
export interface Waker {
  wait(limitMs: number, options: { readonly wakesOnRows: boolean }): Promise<void>;
  wake(): void;
  /** Every wait from now on is over at once. */
  end(): void;
}

export const createWaker = (): Waker => {
  let isEnded = false;
  let isWoken = false;
  let finish: ((reason: 'rows' | 'end') => void) | undefined;
  return {
    wait: (limitMs, { wakesOnRows }) =>
      new Promise((resolve) => {
        if (isEnded || (wakesOnRows && isWoken)) {
          isWoken = false;
          resolve();
          return;
        }
        const done = (): void => {
          clearTimeout(timer);
          finish = undefined;
          isWoken = false;
          resolve();
        };
        const timer = setTimeout(done, limitMs);
        finish = (reason) => {
          if (reason === 'end' || wakesOnRows) done();
        };
      }),
    wake: () => {
      isWoken = true;
      finish?.('rows');
    },
    end: () => {
      isEnded = true;
      finish?.('end');
    },
  };
};
