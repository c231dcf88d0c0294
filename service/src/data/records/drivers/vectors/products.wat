;; Products of one vector and many others, for the search in `memory.ts`. Compiled into `products-wasm.ts` by
;; `node scripts/vector-kernel.mjs`.
(module
  (import "host" "memory" (memory 1))

  ;; Writes the dot product of the 16-bit numbers at $query and each vector of 8-bit codes to $results.
  ;; The addresses of the vectors are at $addresses, up to $end. $stride, the length of a vector in bytes, is a
  ;; multiple of 32. Every loop runs at least once.
  ;; Returns the XOR of the bytes read ahead, so that no optimizer drops those reads.
  (func (export "products")
    (param $addresses i32) (param $end i32) (param $stride i32) (param $query i32) (param $results i32)
    (result i32)
    (local $code i32) (local $codeEnd i32) (local $number i32)
    (local $ahead i32) (local $batchEnd i32) (local $touched i32)
    (local $even v128) (local $odd v128)

    (loop $batch
      ;; batchEnd = min(addresses + 32 addresses, end)
      (local.set $batchEnd
        (select
          (local.tee $batchEnd (i32.add (local.tee $ahead (local.get $addresses)) (i32.const 128)))
          (local.get $end)
          (i32.lt_u (local.get $batchEnd) (local.get $end))))

      ;; Read one byte of each 64-byte cache line of the batch: the cache misses then overlap.
      (loop $prefetchVector
        (local.set $codeEnd (i32.add (local.tee $code (i32.load (local.get $ahead))) (local.get $stride)))
        (loop $prefetchLine
          (local.set $touched (i32.xor (local.get $touched) (i32.load8_u (local.get $code))))
          (local.set $code (i32.add (local.get $code) (i32.const 64)))
          (br_if $prefetchLine (i32.lt_u (local.get $code) (local.get $codeEnd))))
        (local.set $ahead (i32.add (local.get $ahead) (i32.const 4)))
        (br_if $prefetchVector (i32.lt_u (local.get $ahead) (local.get $batchEnd))))

      (loop $vector
        (local.set $codeEnd (i32.add (local.tee $code (i32.load (local.get $addresses))) (local.get $stride)))
        (local.set $number (local.get $query))
        (local.set $even (v128.const i32x4 0 0 0 0))
        (local.set $odd (v128.const i32x4 0 0 0 0))

        ;; 32 codes per round, 8 per step. Two sums, so that a step need not wait for the one before.
        (loop $codes
          (local.set $even (i32x4.add (local.get $even) (i32x4.dot_i16x8_s
            (v128.load8x8_s (local.get $code))
            (v128.load (local.get $number)))))
          (local.set $odd (i32x4.add (local.get $odd) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=8 (local.get $code))
            (v128.load offset=16 (local.get $number)))))
          (local.set $even (i32x4.add (local.get $even) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=16 (local.get $code))
            (v128.load offset=32 (local.get $number)))))
          (local.set $odd (i32x4.add (local.get $odd) (i32x4.dot_i16x8_s
            (v128.load8x8_s offset=24 (local.get $code))
            (v128.load offset=48 (local.get $number)))))
          (local.set $number (i32.add (local.get $number) (i32.const 64)))
          (local.set $code (i32.add (local.get $code) (i32.const 32)))
          (br_if $codes (i32.lt_u (local.get $code) (local.get $codeEnd))))

        ;; The product is the sum of the four lanes of even + odd.
        (local.set $even (i32x4.add (local.get $even) (local.get $odd)))
        (i32.store (local.get $results)
          (i32.add
            (i32.add
              (i32.add (i32x4.extract_lane 0 (local.get $even)) (i32x4.extract_lane 1 (local.get $even)))
              (i32x4.extract_lane 2 (local.get $even)))
            (i32x4.extract_lane 3 (local.get $even))))
        (local.set $results (i32.add (local.get $results) (i32.const 4)))
        (local.set $addresses (i32.add (local.get $addresses) (i32.const 4)))
        (br_if $vector (i32.lt_u (local.get $addresses) (local.get $batchEnd))))

      (br_if $batch (i32.lt_u (local.get $addresses) (local.get $end))))
    (local.get $touched)))
