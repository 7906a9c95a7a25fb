package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/maps"
	"unsafe"
)

// Keys: the order in which a range comes to those of a map. A plan may ask for one at a block, or only for the keys in
// the order in which they come. Then each range there follows from the seed of the block's pin alone.

//fdebug:lost which keys of a map must come first is not found out
//fdebug:patch internal/runtime/maps/table.go func (it *Iter) Init( ... it.clearSeq = m.clearSeq{+; fdebugKeys(it)+}
//fdebug:patch internal/runtime/maps/table.go func (it *Iter) Next() ...
//	{+k = it.fdebugSlot(k); +}if (it.group.ctrls().get(k) & ctrlEmpty) == ctrlEmpty {

const (
	fdebugMostKeys   = 64   // of a map whose order is varied
	fdebugMostOrders = 1000 // that are tried for one that is wanted
	fdebugMostWalks  = 16   // whose keys are recorded
)

// fdebugWalks counts those whose keys are recorded.
var fdebugWalks atomic.Uint32

//go:linkname maps_fdebugKeys internal/runtime/maps.fdebugKeys
func maps_fdebugKeys(it *maps.Iter) {
	gp := getg()
	if !fdebugSet[fdebugActMap] || gp.m.curg != gp || gp.fdebug.testKey == 0 {
		return
	}
	block := gp.fdebug.last()
	var set *fdebugSetting
	var keys, chain [fdebugMostKeys]uint64
	n := 0
	for i := range fdebugPlan.numSets {
		if s := fdebugSettingAt(i); s.what == fdebugMapKeys && s.block == block {
			set, chain[n] = s, uint64(s.value)
			n = (n + 1) % fdebugMostKeys
		}
	}
	if set == nil {
		return
	}
	seed, _ := fdebugSeed(fdebugActMap, block)
	for try := range uint64(fdebugMostOrders) {
		it.FdebugStart(fdebugMix(seed, 2*try), fdebugMix(seed, 2*try+1))
		m := fdebugWalk(*it, &keys, 0)
		if m == 0 || set.unit == 0 || fdebugComes(keys[:m], chain[:n]) == (set.unit > 0) {
			break
		}
	}
	if w := fdebugWalks.Load(); set.unit == 0 && w < fdebugMostWalks {
		fdebugWalks.Store(w + 1)
		fdebugWalk(*it, &keys, fdebugKeySite+w)
	}
}

// fdebugWalk returns how many keys a range has, and writes hashes of them, 0 if there are too many, or they are neither
// strings nor integers. With a site it records their texts as values of that.
func fdebugWalk(it maps.Iter, keys *[fdebugMostKeys]uint64, site uint32) (n int) {
	var number uint64
	for it.Next(); it.Key() != nil; it.Next() {
		hash, text := fdebugKey(it.FdebugKey(), it.Key(), &number)
		if hash == 0 || n == len(keys) {
			return 0
		}
		keys[n] = hash
		n++
		if site > 0 {
			FdebugValue(site, hash, text)
		}
	}
	return n
}

// fdebugKey returns a hash of a key, 0 for one of another type, and its text: it is a number with 8 bytes if the hash is
// even, and a signed one if half of it is odd.
func fdebugKey(t *abi.Type, p unsafe.Pointer, number *uint64) (hash uint64, text string) {
	k := t.Kind()
	if k == abi.String {
		text = *(*string)(p)
		for i := range len(text) {
			hash = fdebugMix(hash, uint64(text[i]))
		}
		return hash | 1, text
	}
	if k < abi.Int || k > abi.Uintptr {
		return 0, ""
	}
	v, sign := uint64(0), uint64(0)
	for i := range t.Size_ {
		v |= uint64(*(*byte)(add(p, i))) << (8 * i)
	}
	if shift := 64 - 8*t.Size_; k <= abi.Int64 {
		v, sign = uint64(int64(v<<shift)>>shift), 2
	}
	*number = v
	return fdebugMix(v, 0)&^3 | sign, unsafe.String((*byte)(unsafe.Pointer(number)), 8)
}
