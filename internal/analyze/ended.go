package analyze

import "context"

// WhyEnded says why a context has ended.
func WhyEnded(ctx context.Context) string { return context.Cause(ctx).Error() }
